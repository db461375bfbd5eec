import AudioCore
import AudioPlayerClient
import AudioThreads
import Resampling

/// Decodes a source, converts it to the device's format and fills a voice's ring, on a thread of
/// its own.
actor VoiceFeeder {
  private let executor: ThreadExecutor
  private let source: any FeederSource
  private var converter = FeederConverter()
  /// Opens when the ring holds enough to begin with, or all that there is, or the source has
  /// failed.
  nonisolated let primed = Gate()

  init(_ request: PlaybackRequest) throws {
    do {
      executor = try ThreadExecutor(name: "syrinx-decode")
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    source = makeSource(request)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the source and says what it gives.
  func open() async throws -> SourceDescription {
    try await source.open()
  }

  /// Fills the voice's ring until the source ends, the voice is over, or the task is cancelled.
  func feed(_ voice: Voice, on engine: PlaybackEngine) async throws {
    defer {
      voice.endInput()
      engine.wake()
      primed.open()
    }
    while let buffer = try await source.next() {
      let isWanted = push(try converter.convert(buffer, to: voice.format), into: voice, engine)
      if !isWanted { return }
    }
    _ = push(try converter.finish(), into: voice, engine)
    if voice.ring.totalWritten == 0 { throw AudioPlayerError.emptySource(source.url) }
  }

  /// Blocks this thread until everything is in the ring; false where nobody will read it.
  private func push(_ samples: [Float], into voice: Voice, _ engine: PlaybackEngine) -> Bool {
    var rest = samples[...]
    while !rest.isEmpty {
      if voice.isOver || voice.isStopping || Task.isCancelled { return false }
      let written = rest.withUnsafeBufferPointer { voice.ring.tryWrite($0) }
      rest = rest.dropFirst(written)
      engine.sourceAdvanced()
      if voice.isPrimed { primed.open() }
      if written == 0 { waitForRoom(voice) }
    }
    return true
  }

  private func waitForRoom(_ voice: Voice) {
    voice.roomWish.make()
    // The card's thread may have made room before it could see the wish.
    if voice.ring.writable == 0 { voice.room.wait() }
  }
}
