import AudioCore
import SpeechClient
import Wyoming

/// Turns the results of one transcription into events.
///
/// A client appends each chunk to the previous chunks, so chunks contain only stable words. The
/// transcript contains the words of the final results.
struct TranscriptWriter {
  /// The language of the transcript: the requested or the last detected language.
  private var language: String?
  private var finished: [String] = []
  /// The number of the current utterance; `stable` has its stable words.
  private var utterance = 0
  private var stable: [String] = []
  private var sent = SentWords()
  /// The end of the current speech, which `voice-stopped` reports.
  private var voiceEnd: Duration?
  private var hasBegun = false

  init(language: String?) {
    self.language = language
  }

  /// Returns the events for a result.
  mutating func process(_ result: SpeechRecognitionResult) -> [WyomingEvent] {
    let segments = result.bestTranscription.segments
    language = result.language?.tag ?? language
    var events = result.utterance == utterance ? [] : end()
    utterance = result.utterance
    events += begin(segments)
    // If the engine retracts all words, the end of the last retracted word is kept.
    voiceEnd = segments.last.map { $0.timestamp + $0.duration } ?? voiceEnd
    stable = result.stablePrefix.segments.map(\.substring)
    if let text = sent.add(result) {
      events += start() + [WyomingEvent("transcript-chunk", ["text": .string(text)])]
    }
    return result.isFinal ? events + end() : events
  }

  /// Returns the events for a loss.
  ///
  /// An unintelligible utterance adds no words. An utterance in which the engine failed keeps the
  /// words that were sent.
  mutating func drop(_ reason: SpeechRecognitionEvent.DropReason) -> [WyomingEvent] {
    guard reason == .unintelligible else { return [] }
    stable = []
    return end()
  }

  /// Returns the last events, after all results.
  mutating func flush() -> [WyomingEvent] {
    let events = end()
    var data: [String: JSONValue] = ["text": .string(finished.joinedAsWritten)]
    if let language { data["language"] = .string(language) }
    return events + start() + [WyomingEvent("transcript", data), WyomingEvent("transcript-stop")]
  }

  private func begin(_ segments: [TranscriptionSegment]) -> [WyomingEvent] {
    guard voiceEnd == nil, let first = segments.first else { return [] }
    return [Self.voice("voice-started", at: first.timestamp)]
  }

  /// Ends the current utterance and returns its last events.
  private mutating func end() -> [WyomingEvent] {
    finished += stable
    stable = []
    defer { voiceEnd = nil }
    return voiceEnd.map { [Self.voice("voice-stopped", at: $0)] } ?? []
  }

  private mutating func start() -> [WyomingEvent] {
    guard !hasBegun else { return [] }
    hasBegun = true
    return [
      WyomingEvent("transcript-start", language.map { ["language": .string($0)] } ?? [:])
    ]
  }

  private static func voice(_ type: String, at time: Duration) -> WyomingEvent {
    WyomingEvent(type, ["timestamp": .integer(time.wholeMilliseconds)])
  }
}
