import FilePaths
import SpeechClient

/// A file that is being recognised.
struct Hearing: Sendable {
  let file: FilePath
  let audio: FileHearing
  let events: AsyncThrowingStream<SpeechRecognitionEvent, any Error>
}

/// Starts to recognise files in order, some ahead of the one whose results are taken.
///
/// What the files ahead have to say waits within the speech client, which stops them when that is
/// much; so memory does not grow with their number or length.
struct Hearings {
  /// How many files keep so many decoders at work that share all utterances: several for each, so
  /// that none waits for another's longest file; of many decoders fewer, because files have threads
  /// of their own.
  static func atOnce(sharing decoderCount: Int) -> Int {
    decoderCount > 1 ? min(4 * decoderCount, decoderCount + 24) : 1
  }

  private let start: @Sendable (FilePath) async -> Hearing
  private let atOnce: Int
  private var waiting: ArraySlice<FilePath>
  private var started: [Hearing] = []

  /// - Parameter atOnce: how many files are recognised at the same time, at least 1.
  init(files: [FilePath], atOnce: Int, start: @escaping @Sendable (FilePath) async -> Hearing) {
    (waiting, self.atOnce, self.start) = (files[...], atOnce, start)
  }

  /// The next file, in order; there must be one.
  mutating func next() async -> Hearing {
    while started.count < atOnce, let file = waiting.popFirst() {
      started.append(await start(file))
    }
    return started.removeFirst()
  }
}
