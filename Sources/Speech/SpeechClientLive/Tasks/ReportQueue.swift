import AudioCore
import SpeechClient
import SpeechEngine

/// The reports of a task that decodes several utterances at a time, in the order of the audio.
///
/// An utterance, and every report after it, waits until its words are known.
struct ReportQueue {
  /// The words of an utterance, or why its decoder found none.
  typealias Words = Result<SpeechHypothesis, any Error>

  enum Report {
    case event(SpeechRecognitionEvent)
    /// An utterance, the end of its last sound, and its words.
    case utterance(Utterance, end: FrameCount, words: Words)
  }

  private enum Entry {
    case known(Report)
    /// An utterance whose words are missing.
    case waiting(Utterance, index: Int, end: FrameCount)
  }

  private var entries: [Entry] = []
  private var utteranceCount = 0
  /// The number of utterances that have not been removed, with and without words.
  private(set) var waitingCount = 0

  /// Whether a new event has nothing to wait for.
  var isEmpty: Bool { entries.isEmpty }

  /// Appends an event.
  mutating func append(_ event: SpeechRecognitionEvent) {
    entries.append(.known(.event(event)))
  }

  /// Appends an utterance without its words.
  ///
  /// - Parameter end: the end of its last sound.
  /// - Returns: its index among the utterances of the task, from 0.
  mutating func append(_ utterance: Utterance, end: FrameCount) -> Int {
    let index = utteranceCount
    entries.append(.waiting(utterance, index: index, end: end))
    utteranceCount += 1
    waitingCount += 1
    return index
  }

  /// Notes the words of an utterance; those of a removed one are ignored.
  mutating func note(_ words: Words, of index: Int) {
    for place in entries.indices {
      guard case .waiting(let utterance, index: index, end: let end) = entries[place] else {
        continue
      }
      entries[place] = .known(.utterance(utterance, end: end, words: words))
    }
  }

  /// Removes and returns the first report; nil if there is none, or its words are missing.
  mutating func popKnown() -> Report? {
    guard case .known(let report)? = entries.first else { return nil }
    entries.removeFirst()
    if case .utterance = report { waitingCount -= 1 }
    return report
  }

  /// Removes all reports.
  mutating func removeAll() {
    (entries, waitingCount) = ([], 0)
  }
}
