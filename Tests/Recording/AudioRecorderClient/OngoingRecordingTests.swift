import AudioCore
import AudioRecorderClient
import ClientDependencies
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct OngoingRecordingTests {
  private let request = RecordingRequest(url: URL(filePath: "memo.wav"))
  private let finish = RecordingFinish(
    reason: .stopped, frameCount: 80_000, recorded: .seconds(5))

  /// Returns a recorder whose recordings yield `events`, and end with `finish` when they are
  /// stopped.
  private func recorder(
    _ events: [RecordingEvent], finish: RecordingFinish?, error: AudioRecorderError? = nil,
    whenCancelled: @escaping @Sendable () -> Void = {}
  ) -> AudioRecorderClient {
    let (stops, stop) = AsyncStream<Void>.makeStream()
    return withDependencies {
      $0.audioRecorder.recording = { _ in
        AsyncThrowingStream { stream in
          stream.onTermination = { if case .cancelled = $0 { whenCancelled() } }
          for event in events { stream.yield(event) }
          if let error { return stream.finish(throwing: error) }
          Task {
            for await _ in stops {
              if let finish { stream.yield(.finished(finish)) }
              return stream.finish()
            }
          }
        }
      }
      $0.audioRecorder.control = { _, command in
        if command == .stop { stop.yield() }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
  }

  private let started = RecordingEvent.started(
    RecordingStart(device: "virtual", deviceFormat: .speech, fileFormat: .speech))

  @Test func `a recording begins, continues, and ends when it is stopped`() async throws {
    let recorder = recorder([started], finish: finish)
    let memo = try await recorder.beginRecording(request)
    #expect(try await memo.stop() == finish)
    #expect(try await memo.stop() == finish)
  }

  @Test func `a recording that cannot begin throws at once`() async {
    let recorder = recorder([], finish: nil, error: .device(nil, reason: "no sound card"))
    await #expect(throws: AudioRecorderError.device(nil, reason: "no sound card")) {
      try await recorder.beginRecording(request)
    }
  }

  @Test func `stop() throws the error that ended a recording`() async throws {
    let recorder = recorder(
      [started, .closed(finish)], finish: nil, error: .device(nil, reason: "it was unplugged"))
    let memo = try await recorder.beginRecording(request)
    await #expect(throws: AudioRecorderError.device(nil, reason: "it was unplugged")) {
      try await memo.stop()
    }
  }

  @Test func `releasing a recording ends it`() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let recorder = recorder([started], finish: finish, whenCancelled: { end.yield() })
    var memo: OngoingRecording? = try await recorder.beginRecording(request)
    #expect(memo?.id != nil)
    memo = nil
    for await _ in ends { break }
  }

  @Test func `a canceled start ends the recording`() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let recorder = recorder([], finish: finish, whenCancelled: { end.yield() })
    let beginning = Task { try await recorder.beginRecording(request) }
    beginning.cancel()
    await #expect(throws: CancellationError.self) { try await beginning.value }
    for await _ in ends { break }
  }
}
