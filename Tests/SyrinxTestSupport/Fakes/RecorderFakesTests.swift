import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SyrinxTestSupport
import TestTools
import Testing

extension FakesTests {
  @Suite struct Recorder {
    private static let recorders: [Implementation] = [.live, .preview]
    private static let captures: [Implementation] = [.live, .preview, .replay]
    private let clock = TestClock()
    private let folder: TestFolder

    init() throws {
      folder = try TestFolder()
    }

    private var url: URL { folder.file("take.wav") }

    /// A virtual card whose microphone captures a second of sound and then silence, on one channel.
    private var card: VirtualSoundCard {
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      let room = AudioSignal { frame, _ in frame < 48_000 && frame % 2 == 0 ? 0.5 : 0 }
      return VirtualSoundCard(
        pace: .lockstep(clock), microphone: .buffer(room.buffer(.seconds(20), format: format)))
    }

    private func make(_ implementation: Implementation) async throws -> AudioRecorderClient {
      guard implementation == .replay else {
        return implementation == .live ? .liveValue : .previewValue
      }
      let recording = folder.file("talk.jsonl")
      try await withDependencies {
        $0.continuousClock = ImmediateClock()
      } operation: {
        let recorder = try AudioRecorderClient.previewValue.recordingCapture(to: recording)
        for try await _ in await recorder.capture(request: CaptureRequest()).prefix(20) {}
      }
      return try .replayingCapture(recording)
    }

    /// Runs `body` with a recorder while the clock runs.
    private func check(
      _ implementation: Implementation, _ function: String = #function,
      _ body: @Sendable (AudioRecorderClient) async throws -> Void
    ) async throws {
      try await withDependencies {
        $0.soundCard = card.soundCard
        $0.continuousClock = clock
      } operation: {
        let recorder = try await make(implementation)
        try await FakesTests.check(implementation, function) {
          try await clock.pass(by: .milliseconds(100)) { try await body(recorder) }
        }
      }
    }

    /// Returns the result of a recording; each event is passed to `react` before the next is
    /// requested.
    private func record(
      _ request: RecordingRequest, on recorder: AudioRecorderClient,
      react: (RecordingEvent) async throws -> Void = { _ in }
    ) async throws -> RecordingFinish? {
      var finish: RecordingFinish?
      for try await event in await recorder.recording(request: request) {
        if case .finished(let last) = event { finish = last }
        try await react(event)
      }
      return finish
    }

    /// Returns the first ten buffers, or fewer if the capture ends.
    private func capture(
      _ request: CaptureRequest, on recorder: AudioRecorderClient
    ) async throws -> [AudioBuffer] {
      try await recorder.capture(request: request).prefix(10).all().map(\.buffer)
    }

    @Test(arguments: recorders)
    func `a recording that is stopped after a second is a second long`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let recording = try await recorder.beginRecording(url: url)
        try await clock.sleep(for: .seconds(1))
        let finish = try await recording.stop()
        #expect(finish.reason == .stopped)
        #expect(abs(finish.recorded.inSeconds - 1) < 0.1)
      }
    }

    @Test(arguments: recorders)
    func `a recording ends exactly at its maximum length`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let request = RecordingRequest(url: url, maximumDuration: .milliseconds(1_234))
        let finish = try await record(request, on: recorder)
        #expect(finish?.reason == .lengthReached)
        #expect(finish?.frameCount == 59_232)
      }
    }

    @Test func `a pause that is requested at an event begins at the same position in every run`()
      async throws
    {
      let positions = LockIsolated<[Duration]>([])
      for _ in 0..<3 {
        try await check(.live) { recorder in
          let request = RecordingRequest(url: url, maximumDuration: .seconds(1))
          var isPaused = false
          let memo = try await recorder.beginRecording(request)
          for try await event in memo.events {
            switch event {
            case .levels(let levels) where levels.recorded >= .milliseconds(300) && !isPaused:
              isPaused = true
              try await memo.pause()
            case .paused(let position):
              positions.withValue { $0.append(position) }
              try await memo.resume()
            default: break
            }
          }
        }
      }
      #expect(Set(positions.value).count == 1)
    }

    @Test(arguments: recorders)
    func `a pause is omitted from a recording`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        var lengths: [Duration] = []
        let request = RecordingRequest(url: url, maximumDuration: .seconds(1), id: "a")
        let finish = try await record(request, on: recorder) { event in
          switch event {
          case .levels(let levels) where levels.recorded >= .milliseconds(300):
            if lengths.isEmpty { try await recorder.control(id: "a", command: .pause) }
          case .paused(let recorded):
            lengths.append(recorded)
            try await clock.sleep(for: .milliseconds(500))
            try await recorder.control(id: "a", command: .resume)
          case .resumed(let recorded): lengths.append(recorded)
          default: break
          }
        }
        #expect(lengths.count == 2 && lengths.first == lengths.last)
        #expect(finish?.frameCount == 48_000)
      }
    }

    @Test(arguments: recorders)
    func `a recording that waits for a command begins when the command comes`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        var order: [String] = []
        let request = RecordingRequest(
          url: url, maximumDuration: .seconds(1), id: "a", start: .onCommand)
        let finish = try await record(request, on: recorder) { event in
          switch event {
          case .waiting:
            order.append("waiting")
            try await clock.sleep(for: .milliseconds(500))
            try await recorder.control(id: "a", command: .start)
          case .began: order.append("began")
          default: break
          }
        }
        #expect(order == ["waiting", "began"])
        #expect(finish?.frameCount == 48_000)
      }
    }

    @Test(arguments: recorders)
    func `an ID in use is rejected, and an unknown ID can be stopped but not paused`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let request = RecordingRequest(url: url, maximumDuration: .seconds(1), id: "a")
        _ = try await record(request, on: recorder) { event in
          guard case .started = event else { return }
          await #expect(throws: AudioRecorderError.idInUse("a")) {
            try await record(request, on: recorder)
          }
        }
        await #expect(throws: AudioRecorderError.unknownRecording("b")) {
          try await recorder.control(id: "b", command: .pause)
        }
        try await recorder.control(id: "b", command: .stop)
      }
    }

    @Test(arguments: recorders)
    func `stopRecording completes a recording`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        async let isComplete = recorder.startRecording(url: url)
        while await recorder.currentTime() ?? 0 < 0.5 { try await clock.sleep(for: .seconds(0.1)) }
        await recorder.stopRecording()
        #expect(try await isComplete)
        #expect(await recorder.currentTime() == nil)
      }
    }

    @Test(arguments: recorders)
    func `a recording of a channel that the device lacks is an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let refused: [RecordingRequest] = [
          RecordingRequest(url: url, channels: [0, 1]), RecordingRequest(url: url, channels: []),
          RecordingRequest(url: url, channelCount: 33),
        ]
        for request in refused {
          let error = await #expect(throws: AudioRecorderError.self) {
            try await record(request, on: recorder)
          }
          guard case .unsupportedFormat = error else {
            Issue.record("\(String(describing: error))")
            return
          }
        }
      }
    }

    @Test(arguments: recorders)
    func `a recording's file contains the captured audio`(_ implementation: Implementation)
      async throws
    {
      try await check(implementation) { recorder in
        let request = RecordingRequest(url: url, maximumDuration: .seconds(1))
        _ = try await record(request, on: recorder)
        #expect(try Data(contentsOf: url).count > 96_000)
      }
    }

    @Test(arguments: recorders)
    func `a file of an unknown format is an error`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        let text = folder.file("take.txt")
        await #expect(throws: AudioRecorderError.unknownFileFormat(text)) {
          try await record(RecordingRequest(url: text, maximumDuration: .seconds(1)), on: recorder)
        }
      }
    }

    @Test(arguments: recorders)
    func `silence ends a recording`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        let rule = LevelRule(threshold: Decibels(-50), hold: .milliseconds(500))
        let request = RecordingRequest(
          url: url, maximumDuration: .seconds(5), endAfterSilence: rule)
        let finish = try await record(request, on: recorder)
        #expect(finish?.reason == .silence)
      }
    }

    @Test(arguments: captures)
    func `buffers of a capture follow one another`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        let buffers = try await capture(CaptureRequest(), on: recorder)
        #expect(buffers.count == 10)
        #expect(buffers.first?.firstFrame == 0)
        #expect(zip(buffers, buffers.dropFirst()).allSatisfy { $0.endFrame == $1.firstFrame })
        #expect(buffers.contains { $0.samples.contains { abs($0) > 0.05 } })
      }
    }

    @Test(arguments: captures)
    func `buffers have the requested length`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        let buffers = try await capture(CaptureRequest(framesPerBuffer: 1_000), on: recorder)
        #expect(buffers.map(\.frameCount) == Array(repeating: 1_000, count: 10))
      }
    }

    @Test(arguments: captures)
    func `buffers have the requested rate and channels`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
        let requests = [
          CaptureRequest(sampleRate: 8_000, channelCount: 2),
          CaptureRequest(sampleRate: 8_000, channels: [0, 0]),
        ]
        for request in requests {
          let buffers = try await capture(request, on: recorder)
          #expect(buffers.count == 10 && buffers.allSatisfy { $0.format == format })
        }
      }
    }

    @Test(arguments: captures)
    func `a capture of a channel that the device lacks is an error`(
      _ implementation: Implementation
    ) async throws {
      try await check(implementation) { recorder in
        let refused = [
          CaptureRequest(channels: [1]), CaptureRequest(channels: []),
          CaptureRequest(channelCount: 0), CaptureRequest(framesPerBuffer: 0),
        ]
        for request in refused {
          let error = await #expect(throws: AudioRecorderError.self) {
            try await capture(request, on: recorder)
          }
          guard case .unsupportedFormat = error else {
            Issue.record("\(String(describing: error))")
            return
          }
        }
      }
    }

    @Test(arguments: captures)
    func `a capture is stopped by its ID`(_ implementation: Implementation) async throws {
      try await check(implementation) { recorder in
        let request = CaptureRequest(framesPerBuffer: 960, id: "a")
        var count = 0
        for try await _ in await recorder.capture(request: request).prefix(200) {
          count += 1
          if count == 1 { try await recorder.control(id: "a", command: .stop) }
        }
        #expect(count < 15)
      }
    }
  }
}
