import ClientDependenciesTestSupport
import Foundation
import SpeechClient
import Testing

@testable import VoiceNotes

/// The feature's own tests: each overrides the one endpoint that it is about.
@Suite(
  .dependencies {
    $0.date.now = Date(timeIntervalSince1970: 1_000)
    $0.uuid = .incrementing
    $0.speechClient.startTask = { _ in results("buy milk", "call Ada") }
  })
struct VoiceNotesTests {
  private let file = URL(fileURLWithPath: "memo.wav")

  @Test func `what is said in a file becomes one note, an utterance a line`() async throws {
    let added = LockIsolated<[Note]>([])
    try await withDependencies {
      $0.notes.add = { note in added.withValue { $0.append(note) } }
    } operation: {
      try await VoiceNotes().addNote(from: file)
    }
    let note = Note(
      id: UUID(0), date: Date(timeIntervalSince1970: 1_000), text: "buy milk\ncall Ada")
    #expect(added.value == [note])
  }

  @Test func `a note that cannot be kept is an error`() async {
    struct DiskFull: Error {}
    await withDependencies {
      $0.notes.add = { _ in throw DiskFull() }
    } operation: {
      await #expect(throws: DiskFull.self) { try await VoiceNotes().addNote(from: file) }
    }
  }

  @Test(.dependencies { $0.speechClient.startTask = { _ in results() } })
  func `a file without a word adds nothing, since adding would fail this test`() async {
    await #expect(throws: NothingSaid(file: file)) { try await VoiceNotes().addNote(from: file) }
  }
}

private func results(
  _ utterances: String...
) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
  AsyncThrowingStream { continuation in
    for (number, text) in utterances.enumerated() {
      let segment = TranscriptionSegment(
        substring: text, timestamp: .seconds(number), duration: .seconds(1))
      continuation.yield(
        SpeechRecognitionResult(
          utterance: number, bestTranscription: Transcription(segments: [segment]), isFinal: true))
    }
    continuation.finish()
  }
}
