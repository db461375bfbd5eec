import ListeningFeatures
import Foundation
import SyrinxTestSupport
import Testing

/// Replays recorded results of the real engine, without an engine, a model, or delays.
///
/// The recording was made with `RecordSpeech Samples/sounds/go-forward.wav
/// Samples/recordings/go-forward.jsonl`.
@MainActor @Suite struct RecordedDictationTests {
  private let recording = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "recordings/go-forward.jsonl")

  @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  func `a result of the real recognizer becomes a line`() async throws {
    let recorded = try SpeechClient.replaying(recording)
    let dictation = withDependencies {
      $0.speechClient = recorded
    } operation: {
      Dictation()
    }
    try await dictation.listen()
    #expect(dictation.lines == ["go forward ten meters"])
    #expect(dictation.draft.isEmpty)
  }
}
