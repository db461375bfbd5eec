import SpeechClient
import Wyoming

/// Makes events of the results of one transcription.
///
/// Chunks only append, so they hold the words that stay, as they are written when they are sent; the
/// transcript has them all as they are written at last, which may differ in case and punctuation.
struct TranscriptWriter {
  private let language: String?
  private var finished: [String] = []
  /// Which utterance is in hand, and which of its words have been sent.
  private var utterance = 0
  private var sent: [String] = []
  /// Where the voice in hand was heard last.
  private var voiceEnd: Duration?
  private var hasBegun = false

  init(language: String?) {
    self.language = language
  }

  /// What a result brings that is new.
  mutating func take(_ result: SpeechRecognitionResult) -> [WyomingEvent] {
    let segments = result.bestTranscription.segments
    var events = result.utterance == utterance ? [] : end()
    utterance = result.utterance
    events += begin(segments)
    // Words that are taken back were a voice all the same: it ends where the last of them did.
    voiceEnd = segments.last.map { $0.timestamp + $0.duration } ?? voiceEnd
    events += send(result.stablePrefix.segments.map(\.substring))
    return result.isFinal ? events + end() : events
  }

  /// The audio has ended, and all results have been taken.
  mutating func finish() -> [WyomingEvent] {
    let events = end()
    var data: [String: JSONValue] = ["text": .string(finished.joinedAsWritten)]
    if let language { data["language"] = .string(language) }
    return events + start() + [WyomingEvent("transcript", data), WyomingEvent("transcript-stop")]
  }

  private func begin(_ segments: [TranscriptionSegment]) -> [WyomingEvent] {
    guard voiceEnd == nil, let first = segments.first else { return [] }
    return [Self.voice("voice-started", at: first.timestamp)]
  }

  /// Ends the utterance in hand; of one that was lost, what has been sent stays.
  private mutating func end() -> [WyomingEvent] {
    finished += sent
    sent = []
    defer { voiceEnd = nil }
    return voiceEnd.map { [Self.voice("voice-stopped", at: $0)] } ?? []
  }

  /// Sends those of the utterance's words that have not been sent.
  private mutating func send(_ words: [String]) -> [WyomingEvent] {
    let last = sent.last ?? finished.last ?? ""
    let new = words.dropFirst(sent.count).joinedAsWritten
    sent = words
    guard !new.isEmpty else { return [] }
    let text = last.separator(before: new) + new
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
