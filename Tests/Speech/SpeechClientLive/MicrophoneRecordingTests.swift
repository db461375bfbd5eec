import AudioCore
import AudioRecorderClient
import ClientDependencies
import Foundation
import SpeechClient
import SpeechClientLive
import SpeechEngine
import Synchronization
import SyrinxTestSupport
import Testing

/// A recording made with `recording(to:)` contains the microphone's audio, and can be replayed
/// without a microphone.
@Suite(.timeLimit(.minutes(5))) final class MicrophoneRecordingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("go"), ScriptedUtterance("on"), ScriptedUtterance("back"),
  ])
  private let lost = FrameCount(16_000)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Two utterances; one second of audio is missing within the first utterance, after 1.2 s.
  private var blocks: [CapturedAudio] {
    audio(utterances: 2).enumerated().map { index, buffer in
      var buffer = buffer
      if index >= 12 { buffer.firstFrame = buffer.firstFrame + lost }
      return CapturedAudio(
        buffer: buffer, time: buffer.firstFrame.duration(at: .speech),
        gap: index == 12 ? CaptureGap(lost: lost) : nil)
    }
  }

  private static func all<Element>(
    _ stream: AsyncThrowingStream<Element, any Error>
  ) async throws -> [Element] {
    try await stream.reduce(into: []) { $0.append($1) }
  }

  /// Returns all events and all results that a client yields for a microphone.
  private nonisolated(nonsending) func told(
    by client: SpeechClient, of microphone: CaptureRequest = .speech
  ) async throws -> ([SpeechRecognitionEvent], [SpeechRecognitionResult]) {
    let request = SpeechRequest(microphone: microphone)
    return (
      try await Self.all(await client.recognition(request: request)),
      try await Self.all(await client.startTask(request: request))
    )
  }

  @Test func `a microphone's recording contains its gaps, and a replay yields the same events`()
    async throws
  {
    let file = folder.appending(path: "talk.jsonl")
    var wanted = CaptureRequest.speech
    wanted.device = "hw:1"
    wanted.droppingOldestAfter = .seconds(2)
    // The speech request's backlog of a minute replaces the capture request's backlog, so that no
    // audio is dropped earlier.
    var opened = wanted
    opened.droppingOldestAfter = .seconds(60)
    let asked = Mutex<[CaptureRequest]>([])
    let (events, results) = try await withDependencies {
      $0.continuousClock = ImmediateClock()
      $0.speechEngine = scripted.engine
      $0.audioRecorder.capture = { [blocks] request in
        asked.withLock { $0.append(request) }
        return AsyncThrowingStream { continuation in
          for block in blocks { continuation.yield(block) }
          continuation.finish()
        }
      }
    } operation: {
      try await told(by: try SpeechClient.liveValue.recording(to: file), of: wanted)
    }
    #expect(asked.withLock { $0 } == [opened, opened])
    #expect(results.finals == ["go", "on", "back"])
    #expect(events.contains(.dropped(.milliseconds(1200) ..< .milliseconds(2200), reason: .gap)))
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let microphone = try AudioRecorderClient.replayingCapture(
        folder.appending(path: "talk-microphone.jsonl"))
      for _ in 0..<2 {
        #expect(try await Self.all(await microphone.capture(request: wanted)) == blocks)
      }
      let again = try await told(by: try SpeechClient.replaying(file))
      #expect(again.0 == events)
      #expect(again.1 == results)
    }
  }
}
