import AudioCore
import AudioPlayerClient
import Foundation

/// What a source gives.
struct SourceDescription: Sendable {
  let format: AudioFormat
  let announcedDuration: Duration?
}

/// Where a feeder's audio comes from; used on the feeder's thread alone.
protocol FeederSource: AnyObject {
  /// The file, where it is one.
  var url: URL? { get }

  /// Opens it; called once and first.
  nonisolated(nonsending) func open() async throws -> SourceDescription

  /// The next buffer over all repetitions, nil at the end.
  nonisolated(nonsending) func next() async throws -> AudioBuffer?
}

/// The source that a request describes.
func makeSource(_ request: PlaybackRequest) -> any FeederSource {
  switch request.source {
  case .file(let url): FileSource(url, Repetitions(request.repetition))
  case .buffers(let buffers): BuffersSource(buffers, Repetitions(request.repetition))
  case .stream(let stream): StreamSource(stream)
  }
}

/// Counts repetitions; one that gave nothing is the last, so that nothing can repeat for ever in
/// silence.
struct Repetitions {
  private var left: Int?
  private var hasGiven = false

  init(_ repetition: PlaybackRepetition) {
    left =
      switch repetition {
      case .times(let count): max(1, count)
      case .forever: nil
      }
  }

  /// Notes that the current repetition gives something.
  mutating func gives() {
    hasGiven = true
  }

  /// Whether another repetition begins now.
  mutating func begin() -> Bool {
    guard hasGiven else { return false }
    hasGiven = false
    guard let left else { return true }
    self.left = left - 1
    return left > 1
  }
}
