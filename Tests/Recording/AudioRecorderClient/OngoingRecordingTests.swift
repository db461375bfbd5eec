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
    commands: LockIsolated<[RecordingCommand]> = LockIsolated([]),
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
        commands.withValue { $0.append(command) }
        if command == .stop { stop.yield() }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
  }

  private let started = RecordingEvent.started(
    RecordingStart(device: "virtual", deviceFormat: .speech, fileFormat: .speech))

  @Test func `a recording continues until stop(), whose result can be read again`() async throws {
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

  @Test func `a recording reports events and the newest levels, and can be paused`() async throws {
    let levels = [1, 2].map { second in
      let level = AudioSignal.sine(440).buffer(.seconds(1), format: .speech).level
      return RecordingLevels(recorded: .seconds(second), level: level)
    }
    let events = [started, .levels(levels[0]), .levels(levels[1]), .paused(.seconds(2))]
    let commands = LockIsolated<[RecordingCommand]>([])
    let memo = try await recorder(events, finish: finish, commands: commands)
      .beginRecording(request)
    try await memo.pause()
    try await memo.resume()
    #expect(try await memo.stop() == finish)
    #expect(commands.value == [.pause, .resume, .stop])
    let seen = try await memo.events.collect()
    #expect(seen == [started, .levels(levels[1]), .paused(.seconds(2)), .finished(finish)])
    #expect(try await memo.levels.collect() == [levels[1]])
  }

  @Test func `a second reader of the events gets an error instead of some events`() async throws {
    let memo = try await recorder([started], finish: finish).beginRecording(request)
    let (events, others) = (memo.events, memo.events)
    try await memo.stop()
    await #expect(throws: AudioRecorderError.eventsInUse(memo.id)) { try await others.collect() }
    #expect(try await events.collect() == [started, .finished(finish)])
  }

  @Test func `the events of a recording throw the error that ended it`() async throws {
    let error = AudioRecorderError.device(nil, reason: "it was unplugged")
    let memo = try await recorder([started, .closed(finish)], finish: nil, error: error)
      .beginRecording(request)
    var events: [RecordingEvent] = []
    await #expect(throws: error) { for try await event in memo.events { events.append(event) } }
    #expect(events == [started, .closed(finish)])
    #expect(try await memo.levels.collect() == [])
  }

  @Test func `stop() completes the file even in a canceled task`() async throws {
    let memo = try await recorder([started], finish: finish).beginRecording(request)
    let stopping = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await memo.stop()
    }
    #expect(try await stopping.value == finish)
  }

  @Test func `a canceled reader of the events does not end the recording`() async throws {
    let memo = try await recorder([started], finish: finish).beginRecording(request)
    let reading = Task { for try await _ in memo.events {} }
    reading.cancel()
    try await reading.value
    #expect(try await memo.stop() == finish)
  }

  @Test func `releasing a recording ends it`() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let recorder = recorder([started], finish: finish, whenCancelled: { end.yield() })
    var memo: OngoingRecording? = try await recorder.beginRecording(request)
    #expect(memo?.id != nil)
    memo = nil
    for await _ in ends { break }
  }

  @Test func `a canceled start throws only when its recording has ended`() async {
    let steps = LockIsolated<[String]>([])
    let (requests, request) = AsyncStream<Void>.makeStream()
    let recorder = withDependencies {
      $0.audioRecorder.recording = { _ in
        AsyncThrowingStream {
          request.yield()
          for await _ in AsyncStream<Void>.never {}
          for _ in 0..<1_000 { await Task.yield() }
          steps.withValue { $0.append("closed") }
          return nil
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let beginning = Task { [self] in
      defer { steps.withValue { $0.append("thrown") } }
      return try await recorder.beginRecording(self.request)
    }
    for await _ in requests { break }
    beginning.cancel()
    await #expect(throws: CancellationError.self) { try await beginning.value }
    #expect(steps.value == ["closed", "thrown"])
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
