import AudioCore
import AudioRecorderClient
import ClientDependencies
import Foundation
import Testing

@Suite struct AudioRecorderClientTests {
  let url = URL(fileURLWithPath: "nowhere.wav")

  @Test
  func `a call of an unimplemented endpoint reports the endpoint's name, and throws if it can`()
    async
  {
    let recorder = AudioRecorderClient.testValue
    await expectIssue("AudioRecorderClient.currentTime") {
      #expect(await recorder.currentTime() == nil)
    }
    await expectIssue("AudioRecorderClient.requestRecordPermission") {
      #expect(await !recorder.requestRecordPermission())
    }
    await expectIssue("AudioRecorderClient.startRecording") {
      await #expect(throws: Unimplemented("AudioRecorderClient.startRecording")) {
        _ = try await recorder.startRecording(url: url)
      }
    }
    await expectIssue("AudioRecorderClient.stopRecording") { await recorder.stopRecording() }
    await expectIssue("AudioRecorderClient.recording") {
      await #expect(throws: Unimplemented("AudioRecorderClient.recording")) {
        for try await _ in await recorder.recording(request: RecordingRequest(url: url)) {}
      }
    }
    await expectIssue("AudioRecorderClient.capture") {
      await #expect(throws: Unimplemented("AudioRecorderClient.capture")) {
        for try await _ in await recorder.capture(request: CaptureRequest()) {}
      }
    }
    await expectIssue("AudioRecorderClient.control") {
      await #expect(throws: Unimplemented("AudioRecorderClient.control")) {
        try await recorder.control(id: RecordingID(), command: .roll)
      }
    }
    await expectIssue("AudioRecorderClient.pause") { await recorder.pause() }
    await expectIssue("AudioRecorderClient.resume") { await recorder.resume() }
    await expectIssue("AudioRecorderClient.devices") {
      await #expect(throws: Unimplemented("AudioRecorderClient.devices")) {
        _ = try await recorder.devices()
      }
    }
  }

  @Test func `a preview lists one microphone`() async throws {
    let devices = try await AudioRecorderClient.previewValue.devices()
    #expect(devices.map(\.id) == ["preview"])
    #expect(devices.allSatisfy { $0.isDefault && $0.directions == [.capture] })
  }

  @Test func `a preview's recording does not grow during a pause`() async throws {
    let clock = TestClock()
    let id = RecordingID("preview")
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recorder = AudioRecorderClient.previewValue
      let stream = await recorder.recording(request: RecordingRequest(url: url, id: id))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      for command in [RecordingCommand.roll, .pause, .pause, .resume] {
        try await recorder.control(id: id, command: command)
        if command == .roll || command == .resume { await clock.sleepers(atLeast: 1) }
        await clock.advance(by: .milliseconds(100))
      }
      await clock.sleepers(atLeast: 1)
      #expect(await recorder.currentTime() == 0.2)
      await recorder.pause()
      await clock.advance(by: .milliseconds(100))
      await recorder.resume()
      try await recorder.control(id: id, command: .stop)
      let last = try await events.value.last
      let finish = RecordingFinish(
        reason: .stopped, frameCount: 9_600, recorded: .milliseconds(200))
      #expect(last == .finished(finish))
      await #expect(throws: AudioRecorderError.unknownRecording(id)) {
        try await recorder.control(id: id, command: .pause)
      }
    }
  }

  @Test func `a preview records for as long as its clock advances, and writes no file`()
    async throws
  {
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recorder = AudioRecorderClient.previewValue
      #expect(await recorder.currentTime() == nil)
      let stream = await recorder.recording(
        request: RecordingRequest(url: url, maximumDuration: .milliseconds(250)))
      let events = Task { try await stream.reduce(into: []) { $0.append($1) } }
      for _ in 0..<2 {
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .milliseconds(100))
      }
      await clock.sleepers(atLeast: 1)
      #expect(await recorder.currentTime() == 0.2)
      await clock.advance(by: .milliseconds(50))
      let last = try await events.value.last
      #expect(
        last
          == .finished(
            RecordingFinish(
              reason: .lengthReached, frameCount: 12_000, recorded: .milliseconds(250))))
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test
  func `with an immediate clock, a preview's recording is as long as all sleeps on the clock`()
    async throws
  {
    let clock = ImmediateClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recorder = AudioRecorderClient.previewValue
      for length in [Duration.milliseconds(1), .milliseconds(4_950), .seconds(5)] {
        let recording = try await recorder.beginRecording(url: url)
        try await clock.sleep(for: length)
        #expect(await recorder.currentTime() == length.inSeconds)
        try await clock.sleep(for: length)
        let finish = try await recording.stop()
        #expect(finish.reason == .stopped)
        #expect(finish.recorded == length * 2)
      }
      // On the immediate clock, a recording with a maximum duration reaches its end at once.
      let request = RecordingRequest(url: url, maximumDuration: .seconds(60))
      let limited = try await recorder.beginRecording(request)
      try await clock.sleep(for: .seconds(5))
      let finish = try await limited.stop()
      #expect(finish.reason == .lengthReached && finish.recorded == .seconds(60))
    }
  }

  @Test func `a preview stopped between two level reports records until the stop`() async throws {
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recording = try await AudioRecorderClient.previewValue.beginRecording(url: url)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(1_234))
      #expect(try await recording.stop().recorded == .milliseconds(1_234))
    }
  }

  @Test func `a preview reports levels at the requested interval`() async throws {
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let request = RecordingRequest(
        url: url, maximumDuration: .milliseconds(500), levelsInterval: .milliseconds(300))
      var told: [Duration] = []
      for try await event in await AudioRecorderClient.previewValue.recording(request: request) {
        if case .levels(let levels) = event { told.append(levels.recorded) }
      }
      // If the consumer is slow, it gets only the newest level.
      let all: [Duration] = [.milliseconds(300), .milliseconds(500)]
      #expect(told == all || told == all.suffix(1))
    }
  }

  @Test func `a preview waits for the start command and refuses an ID in use`()
    async throws
  {
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recorder = AudioRecorderClient.previewValue
      let id = RecordingID("a")
      var request = RecordingRequest(url: url, id: id)
      request.start = .onCommand
      var events = await recorder.recording(request: request).makeAsyncIterator()
      guard case .started = try await events.next() else { throw CancellationError() }
      #expect(try await events.next() == .waiting)
      var second = await recorder.recording(request: request).makeAsyncIterator()
      await #expect(throws: AudioRecorderError.idInUse(id)) { _ = try await second.next() }
      try await recorder.control(id: id, command: .start)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(100))
      #expect(try await events.next() == .began(preRoll: .zero))
      await recorder.stopRecording()
    }
  }

  @Test func `startRecording of a preview returns true after stopRecording`() async throws {
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recorder = AudioRecorderClient.previewValue
      let recording = Task { try await recorder.startRecording(url: url) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(100))
      await clock.sleepers(atLeast: 1)
      await recorder.stopRecording()
      let isComplete = try await recording.value
      #expect(isComplete)
      #expect(await recorder.currentTime() == nil)
    }
  }

  @Test func `the buffers of a preview's capture form one signal without gaps`() async throws {
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let request = CaptureRequest(sampleRate: .speech, channelCount: 1)
      let stream = await AudioRecorderClient.previewValue.capture(request: request)
      let captured = try await stream.prefix(5).reduce(into: []) { $0.append($1) }
      #expect(captured.map(\.buffer.firstFrame) == [0, 320, 640, 960, 1_280])
      #expect(captured.last?.time == .milliseconds(80))
      let whole = AudioSignal.sine(440, amplitude: 0.1).buffer(1_600, format: .speech)
      #expect(captured.flatMap(\.buffer.samples) == whole.samples)
    }
  }

  private func expectIssue(_ endpoint: String, _ body: () async -> Void) async {
    await withKnownIssue {
      await body()
    } matching: { issue in
      "\(issue)".contains("Unimplemented: '\(endpoint)'")
    }
  }

  @Test func `a call of an unimplemented endpoint in a detached task fails the test`() async {
    await withKnownIssue {
      @Dependency(\.audioRecorder) var client
      await Task.detached { [client] in await client.stopRecording() }.value
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'AudioRecorderClient.stopRecording'"
    }
  }
}
