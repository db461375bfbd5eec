import SpeechClient
import Wyoming

/// Makes events of the results of one transcription.
///
/// Chunks only append, so they hold what does not change any more; the transcript has all of it.
struct TranscriptWriter {
  private let language: String?
  private var finished: [String] = []
  /// How many words of the utterance in hand have been sent.
  private var sentCount = 0
  private var hasVoice = false
  private var hasBegun = false

  init(language: String?) {
    self.language = language
  }

  /// What a result brings that is new.
  mutating func take(_ result: SpeechRecognitionResult) -> [WyomingEvent] {
    let segments = result.bestTranscription.segments
    var events = begin(segments)
    events += send(result.stablePrefix.segments.map(\.substring).dropFirst(sentCount))
    guard result.isFinal else { return events }
    finished += segments.map(\.substring)
    sentCount = 0
    if hasVoice, let last = segments.last {
      events.append(Self.voice("voice-stopped", at: last.timestamp + last.duration))
    }
    hasVoice = false
    return events
  }

  /// The audio has ended, and all results have been taken.
  mutating func finish() -> [WyomingEvent] {
    var data: [String: JSONValue] = ["text": .string(finished.joined(separator: " "))]
    if let language { data["language"] = .string(language) }
    return start() + [WyomingEvent("transcript", data), WyomingEvent("transcript-stop")]
  }

  private mutating func begin(_ segments: [TranscriptionSegment]) -> [WyomingEvent] {
    guard !hasVoice, let first = segments.first else { return [] }
    hasVoice = true
    return [Self.voice("voice-started", at: first.timestamp)]
  }

  private mutating func send(_ words: some Collection<String>) -> [WyomingEvent] {
    guard !words.isEmpty else { return [] }
    let isFirst = finished.isEmpty && sentCount == 0
    sentCount += words.count
    let text = (isFirst ? "" : " ") + words.joined(separator: " ")
    return start() + [WyomingEvent("transcript-chunk", ["text": .string(text)])]
  }

  private mutating func start() -> [WyomingEvent] {
    guard !hasBegun else { return [] }
    hasBegun = true
    return [
      WyomingEvent("transcript-start", language.map { ["language": .string($0)] } ?? [:])
    ]
  }

  private static func voice(_ type: String, at time: Duration) -> WyomingEvent {
    let (seconds, attoseconds) = time.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return WyomingEvent(type, ["timestamp": .integer(Int(milliseconds))])
  }
}
