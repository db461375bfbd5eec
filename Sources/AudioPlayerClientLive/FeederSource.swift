import AudioCore
import AudioPlayerClient
import FoundationEssentials

/// What a source gives.
struct SourceDescription: Sendable {
  let format: AudioFormat
  let announcedDuration: Duration?
  /// The item that it is the source of.
  var item = 0
}

/// Where an item's audio comes from; used on the feeder's thread alone.
protocol FeederSource: AnyObject {
  /// The file, where it is one.
  var url: URL? { get }

  /// What the source announced and did not hold, once its end has been met.
  var shortfall: (announced: Duration?, decoded: Duration)? { get }

  /// Opens it; called first, and again only where all of it is kept.
  nonisolated(nonsending) func open() async throws -> SourceDescription

  /// The next buffer, nil at the end; throws `FeederInterruption` where there is a request to look
  /// at first.
  nonisolated(nonsending) func next() async throws -> AudioBuffer?

  /// Whether all of it is in memory, so that opening it again costs nothing.
  var isKept: Bool { get }

  /// The frame that it gives next, at the rate that it was opened with.
  var position: FrameCount { get }

  /// Goes to the frame that it is to begin with; waits for it where it has not come yet, unless
  /// there is a request to look at first, and can be asked again then.
  nonisolated(nonsending) func begin(at frame: FrameCount) async throws

  /// Goes to a frame, or to the end where there are fewer.
  ///
  /// Throws `notSeekable` and stays where it is where that lies behind a stream, or a file that
  /// comes only once has not come so far.
  nonisolated(nonsending) func seek(to frame: FrameCount) async throws

  /// The first frame that can be gone to.
  var oldestFrame: FrameCount { get }

  /// What lies before a frame has been heard: what comes only once need not keep it.
  func forget(before frame: FrameCount)
}

extension FeederSource {
  nonisolated(nonsending) func begin(at frame: FrameCount) async throws {
    if frame > 0 { try await seek(to: frame) }
  }

  var oldestFrame: FrameCount { 0 }

  var isKept: Bool { false }

  func forget(before frame: FrameCount) {}
}

/// There is a request in the mailbox.
struct FeederInterruption: Error {}

/// How sources are read.
struct FeederSetting: Sendable {
  /// What makes them.
  var make: @Sendable (PlaybackSource, FeederMailbox) -> any FeederSource = makeSource
  /// What a call that holds up its thread is waited for by: the machine's own clock, for a disk
  /// knows of no other.
  var clock: any Clock<Duration> = ContinuousClock()
}

/// The source of an item.
@Sendable func makeSource(_ source: PlaybackSource, _ mailbox: FeederMailbox) -> any FeederSource {
  switch source {
  case .file(let url) where source.comesOnce: StreamSource(of: url, mailbox)
  case .file(let url): ShortFileSource(url)
  case .buffers(let buffers): BuffersSource(buffers)
  case .stream(let stream): StreamSource(stream, mailbox)
  case .preloaded(let sound): BuffersSource(sound.buffers, shortfall: sound.shortfall)
  }
}
