import AudioCore
import AudioPlayerClient
import FilePaths
import FoundationEssentials
import Glibc

/// Makes the reader of a source.
typealias SourceMaker = @Sendable (PlaybackSource, FeederMailbox) -> any FeederSource

/// The format of a source, and its length if it announces one.
typealias SourceDescription = (format: AudioFormat, announcedDuration: Duration?)

/// The audio of one item of a queue; used only by the feeder.
protocol FeederSource: AnyObject {
  /// The file's URL; nil if the source is not a file.
  var url: URL? { get }

  /// The title that a live stream announced last; nil for other sources.
  var title: String? { get }

  /// The announced and the decoded duration of a source that was too short; nil before its end.
  var shortfall: (announced: Duration?, decoded: Duration)? { get }

  /// Opens the source; called once, before any other method.
  ///
  /// After `FeederInterruption` it may be called again.
  nonisolated(nonsending) func open() async throws -> SourceDescription

  /// Returns the next buffer, or nil at the end.
  ///
  /// Throws `FeederInterruption` if a request has to be handled first.
  nonisolated(nonsending) func next() async throws -> AudioBuffer?

  /// The next frame to be returned, at the source's own rate.
  var position: FrameCount { get }

  /// Moves to the item's first frame and waits for it if it has not arrived yet.
  ///
  /// Throws `FeederInterruption` if a request has to be handled first; call it again afterward.
  nonisolated(nonsending) func begin(at frame: FrameCount) async throws

  /// Moves to a frame, or to the end if the source has fewer frames.
  ///
  /// Throws `notSeekable` and stays in place if a stream no longer holds that frame, or if a pipe
  /// has not delivered it yet.
  nonisolated(nonsending) func seek(to frame: FrameCount) async throws

  /// The first frame that `seek` can reach.
  var oldestFrame: FrameCount { get }

  /// Records that the frames before `frame` have been played; a stream need not keep them.
  func forget(before frame: FrameCount)
}

extension FeederSource {
  nonisolated(nonsending) func begin(at frame: FrameCount) async throws {
    if frame > 0 { try await seek(to: frame) }
  }

  var title: String? { nil }

  var oldestFrame: FrameCount { 0 }

  func forget(before frame: FrameCount) {}
}

extension AudioBuffer {
  /// Silences NaN and infinite samples; returns their number plus the number of samples silenced
  /// earlier.
  mutating func silencedSamples() -> Int {
    silencedSampleCount + (silenceNonFinite()?.count ?? 0)
  }
}

/// Interrupts a wait for audio because the mailbox holds a request.
struct FeederInterruption: Error {}

extension PlaybackSource {
  /// Makes the reader of the source; may block while it checks the type of a file.
  ///
  /// - Parameter mailbox: interrupts a wait for audio.
  func makeSource(_ mailbox: FeederMailbox) -> any FeederSource {
    switch self {
    case .file(let url) where canBeReadOnlyOnce: BufferSource(of: url, mailbox)
    case .file(let url): FileSource(url)
    case .buffers(let buffers): BufferSource(buffers, mailbox)
    case .stream(let stream): BufferSource(stream, mailbox)
    case .preloaded(let sound): BufferSource(sound.buffers, shortfall: sound.shortfall, mailbox)
    }
  }

  /// Whether the audio can be read only once: true for a stream and for a file that cannot seek,
  /// such as a named pipe.
  var canBeReadOnlyOnce: Bool {
    switch self {
    case .stream: true
    case .file(let url):
      // A missing file counts as seekable; its error is reported when the file is opened.
      FilePath(url).status.map { ![S_IFREG, S_IFDIR].contains($0.st_mode & S_IFMT) } ?? false
    case .buffers, .preloaded: false
    }
  }
}
