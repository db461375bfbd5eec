import AudioCore
import AudioPlayerClient
import AudioThreads

/// Decodes a whole source into memory on its own thread.
actor SoundLoader {
  private let executor: ThreadExecutor
  /// Called on the thread: a look at the file may block as long as a read.
  private let makeSource: @Sendable () -> any FeederSource
  private lazy var source = makeSource()

  init(
    _ source: PlaybackSource,
    _ makeSource: @escaping SourceMaker
  ) throws {
    do {
      executor = try ThreadExecutor(name: "syrinx-decode")
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    self.makeSource = { makeSource(source, FeederMailbox(PlaybackID())) }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the source and describes it.
  func open() async throws -> SourceDescription {
    try await source.open()
  }

  /// Returns the whole source in another format, and its shortfall; throws `emptySource` if it holds
  /// nothing.
  func load(
    as format: AudioFormat
  ) async throws -> (buffers: [AudioBuffer], shortfall: (announced: Duration?, decoded: Duration)?)
  {
    var converter = try SourceConverter(to: format)
    var buffers: [AudioBuffer] = []
    // Counts the samples silenced in audio that the converter still holds.
    var silencedCount = 0
    func append(_ samples: [Float]) {
      guard !samples.isEmpty else { return }
      buffers.append(AudioBuffer(format: format, samples: samples))
      buffers[buffers.count - 1].silencedSampleCount = silencedCount
      silencedCount = 0
    }
    while var buffer = try await source.next() {
      try Task.checkCancellation()
      silencedCount += buffer.silencedSamples()
      append(try converter.convert(buffer))
    }
    append(try converter.finish())
    guard !buffers.isEmpty else { throw AudioPlayerError.emptySource(source.url) }
    buffers[buffers.count - 1].silencedSampleCount += silencedCount
    return (buffers, source.shortfall)
  }
}
