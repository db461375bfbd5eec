import AudioCore
import AudioPlayerClient
import AudioThreads

/// Decodes a whole source into memory, on a thread of its own.
actor SoundLoader {
  private let executor: ThreadExecutor
  private let source: any FeederSource

  init(_ source: PlaybackSource) throws {
    do {
      executor = try ThreadExecutor(name: "syrinx-decode")
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    self.source = makeSource(source, FeederMailbox(PlaybackID()))
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the source and says what it gives.
  func open() async throws -> SourceDescription {
    try await source.open()
  }

  /// What the source announced and did not hold, once it has been loaded.
  var shortfall: (announced: Duration, decoded: Duration)? { source.shortfall }

  /// All of it in another format; throws where it holds nothing.
  func load(as format: AudioFormat) async throws -> [AudioBuffer] {
    var converter = FeederConverter(to: format)
    var buffers: [AudioBuffer] = []
    func append(_ samples: [Float]) {
      if !samples.isEmpty { buffers.append(AudioBuffer(format: format, samples: samples)) }
    }
    while let buffer = try await source.next() {
      try Task.checkCancellation()
      append(try converter.convert(buffer))
    }
    append(try converter.finish())
    guard !buffers.isEmpty else { throw AudioPlayerError.emptySource(source.url) }
    return buffers
  }
}
