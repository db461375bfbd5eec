import AudioCore
import AudioPlayerClient
import AudioThreads

/// Decodes a whole source into memory, on a thread of its own.
actor SoundLoader {
  private let executor: ThreadExecutor
  /// Made on the thread: to see what a file is may take as long as to read it.
  private let makeSource: @Sendable () -> any FeederSource
  private lazy var source = makeSource()

  init(_ source: PlaybackSource, _ setting: FeederSetting) throws {
    do {
      executor = try ThreadExecutor(name: "syrinx-decode")
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    makeSource = { setting.make(source, FeederMailbox(PlaybackID())) }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the source and says what it gives.
  func open() async throws -> SourceDescription {
    try await source.open()
  }

  /// All of it in another format, and what the source announced and did not hold; throws where it
  /// holds nothing.
  func load(as format: AudioFormat) async throws -> LoadedSound {
    var converter = FeederConverter(to: format)
    var buffers: [AudioBuffer] = []
    // Samples silenced in audio that the converter still holds.
    var silencedCount = 0
    func append(_ samples: [Float]) {
      guard !samples.isEmpty else { return }
      buffers.append(AudioBuffer(format: format, samples: samples))
      buffers[buffers.count - 1].silencedSampleCount = silencedCount
      silencedCount = 0
    }
    while var buffer = try await source.next() {
      try Task.checkCancellation()
      silencedCount += buffer.silencedSampleCount + (buffer.silenceNonFinite()?.count ?? 0)
      append(try converter.convert(buffer))
    }
    append(try converter.finish())
    guard !buffers.isEmpty else { throw AudioPlayerError.emptySource(source.url) }
    buffers[buffers.count - 1].silencedSampleCount += silencedCount
    return LoadedSound(buffers: buffers, shortfall: source.shortfall)
  }
}

/// A source in memory.
struct LoadedSound: Sendable {
  let buffers: [AudioBuffer]
  let shortfall: (announced: Duration?, decoded: Duration)?
}
