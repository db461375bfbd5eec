import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Testing

/// A device that does not open, for example because its sound server does not respond.
@Suite(.timeLimit(.minutes(5))) struct CaptureSessionTests {
  private let opening = Gate()
  private let url = URL(fileURLWithPath: "/nowhere/at/all.wav")
  private var request: RecordingRequest { RecordingRequest(url: url) }

  @Test func `stopRecording ends a recording whose device is opening, and nothing is recorded`()
    async throws
  {
    try await withDeafCard { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await opening.wait()
      await recorder.stopRecording()
      let hasRecorded = try await recording.value
      #expect(!hasRecorded)
    }
  }

  @Test func `a recording stopped while its device opens reports only its end`()
    async throws
  {
    try await withDeafCard { recorder in
      let stream = await recorder.recording(request: request)
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      await opening.wait()
      await recorder.stopRecording()
      let seen = try await events.value
      let finish = RecordingFinish(reason: .stopped, frameCount: 0, recorded: .zero)
      #expect(seen == [.finished(finish)])
    }
  }

  @Test func `a canceled startRecording returns while the device is opening`() async {
    await withDeafCard { recorder in
      let recording = Task { try await recorder.startRecording(url: url) }
      await opening.wait()
      recording.cancel()
      await #expect(throws: CancellationError.self) { _ = try await recording.value }
    }
  }

  @Test func `canceling a recording's consumer ends the opening of its device`() async throws {
    try await withDeafCard { recorder in
      let stream = await recorder.recording(request: request)
      let consumer = Task { for try await _ in stream {} }
      await opening.wait()
      consumer.cancel()
      try await consumer.value
      await recorder.stopRecording()
    }
  }

  @Test func `canceling a capture's consumer ends the opening of its device`() async throws {
    let ended = Gate()
    try await withDeafCard(ended) { recorder in
      let stream = await recorder.capture(request: CaptureRequest())
      let consumer = Task { for try await _ in stream {} }
      await opening.wait()
      consumer.cancel()
      try await consumer.value
      await ended.wait()
    }
  }

  @Test func `a canceled request for permission returns while the device is opening`() async {
    await withDeafCard { recorder in
      let permission = Task { await recorder.requestRecordPermission() }
      await opening.wait()
      permission.cancel()
      #expect(await !permission.value)
    }
  }

  @Test(
    arguments: [
      (SoundCardError.deviceLost("hw"), .deviceLost("hw")),
      (SoundCardError.notResponding("hw", operation: "open"), .deviceLost("hw")),
      (NoDescriptorLeft(), .system(reason: "NoDescriptorLeft()")),
    ] as [(any Error & Sendable, AudioRecorderError)])
  func `a failed opening throws the same client error as a later loss of the device`(
    reason: any Error & Sendable, told: AudioRecorderError
  ) async {
    await withDependencies {
      $0.soundCard.openCapture = { _ in throw reason }
    } operation: {
      await #expect(throws: told) {
        try await AudioRecorderClient.liveValue.startRecording(url: url)
      }
    }
  }

  private struct NoDescriptorLeft: Error {}

  private func withDeafCard(
    _ ended: Gate = Gate(), _ body: (AudioRecorderClient) async throws -> Void
  ) async rethrows {
    try await withDependencies {
      $0.soundCard.openCapture = { [opening] _ in
        defer { ended.open() }
        opening.open()
        try await Task.never()
        throw SoundCardError.noSoundCard(.capture)
      }
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}
