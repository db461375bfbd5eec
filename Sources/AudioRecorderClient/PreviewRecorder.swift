import AudioCore
import ClientDependencies
import FoundationEssentials

extension AudioRecorderClient {
  static func preview() -> AudioRecorderClient {
    let recorder = PreviewRecorder()
    return AudioRecorderClient(
      currentTime: { await recorder.currentTime },
      requestRecordPermission: { true },
      startRecording: { try await recorder.startRecording($0) },
      stopRecording: { await recorder.stop() },
      recording: { await recorder.recording($0) },
      capture: { PreviewMicrophone.capture($0) },
      control: { try await recorder.control($0, $1) },
      pause: { await recorder.setPaused(true) },
      resume: { await recorder.setPaused(false) },
      devices: {
        [
          AudioDevice(
            id: "preview", name: "Preview microphone", directions: [.capture], isDefault: true,
            isVirtual: true)
        ]
      })
  }
}

/// Records nothing, for as long as it is told to.
private actor PreviewRecorder {
  private struct Running {
    let id: RecordingID?
    var task: Task<Void, Never>?
    var isPaused = false
    var isWaiting = false
  }

  private var recordings: [Int: Running] = [:]
  private var nextID = 0
  private(set) var recorded: Duration?

  var currentTime: TimeInterval? { recorded?.inSeconds }

  func startRecording(_ url: URL) async throws -> Bool {
    var hasRecorded = false
    for try await event in recording(RecordingRequest(url: url)) {
      if case .finished(let finish) = event { hasRecorded = finish.frameCount > 0 }
    }
    try Task.checkCancellation()
    return hasRecorded
  }

  func recording(_ request: RecordingRequest) -> AsyncThrowingStream<RecordingEvent, any Error> {
    if let id = request.id, recordings.values.contains(where: { $0.id == id }) {
      return AsyncThrowingStream { throw AudioRecorderError.idInUse(id) }
    }
    let pipe = StreamPipe<RecordingEvent>(policy: .recording)
    @Dependency(\.continuousClock) var clock
    let id = nextID
    nextID += 1
    recordings[id] = Running(id: request.id, isWaiting: request.start == .onCommand)
    let task = Task { [clock] in
      await record(request, id, on: clock, into: pipe)
    }
    recordings[id]?.task = task
    recorded = .zero
    pipe.onTermination { task.cancel() }
    return pipe.stream()
  }

  func stop() async {
    let tasks = recordings.values.compactMap(\.task)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  func setPaused(_ isPaused: Bool) {
    for id in recordings.keys { recordings[id]?.isPaused = isPaused }
  }

  func control(_ id: RecordingID, _ command: RecordingCommand) throws {
    guard let number = recordings.first(where: { $0.value.id == id })?.key else {
      if command == .stop { return }
      throw AudioRecorderError.unknownRecording(id)
    }
    switch command {
    case .pause: recordings[number]?.isPaused = true
    case .resume: recordings[number]?.isPaused = false
    case .stop: recordings[number]?.task?.cancel()
    case .start: recordings[number]?.isWaiting = false
    case .roll: break
    }
  }

  private func record(
    _ request: RecordingRequest, _ id: Int, on clock: any Clock<Duration>,
    into pipe: StreamPipe<RecordingEvent>
  ) async {
    let format = PreviewMicrophone.format(request.sampleRate, request.channelCount)
    pipe.send(
      .started(RecordingStart(device: "preview", deviceFormat: format, fileFormat: format)))
    if request.start != .immediately { pipe.send(.waiting) }
    var hasBegun = request.start == .immediately
    let level = PreviewMicrophone.signal.buffer(.milliseconds(100), format: format).level
    var length = Duration.zero
    var untold = Duration.zero
    var reason = RecordingFinish.Reason.stopped
    while true {
      let left = request.maximumDuration.map { $0 - length } ?? .milliseconds(100)
      if left <= .zero {
        reason = .lengthReached
        break
      }
      let step = min(left, .milliseconds(100))
      do { try await clock.sleep(for: step) } catch { break }
      if recordings[id]?.isPaused == true || recordings[id]?.isWaiting == true { continue }
      if !hasBegun { pipe.send(.began(preRoll: .zero)) }
      hasBegun = true
      length += step
      recorded = length
      untold += step
      let isDue = untold >= request.levelsInterval || length == request.maximumDuration
      guard isDue else { continue }
      untold = .zero
      pipe.send(.levels(RecordingLevels(recorded: length, level: level)))
    }
    recorded = nil
    recordings[id] = nil
    let frames = FrameCount(length, at: format.sampleRate)
    pipe.send(
      .finished(RecordingFinish(reason: reason, frameCount: frames, recorded: length)))
    pipe.finish()
  }
}

/// What a preview's microphone hears.
enum PreviewMicrophone {
  static let signal = AudioSignal.sine(440, amplitude: 0.1)

  static func format(_ sampleRate: SampleRate?, _ channelCount: Int?) -> AudioFormat {
    AudioFormat(sampleRate: sampleRate ?? 48_000, channelCount: max(1, channelCount ?? 1))
  }

  /// Buffers of 20 ms at the pace of the clock, pulled: a consumer that is slow is not drowned.
  static func capture(_ request: CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error> {
    @Dependency(\.continuousClock) var clock
    let format = format(request.sampleRate, request.channelCount)
    let position = PreviewPosition()
    return AsyncThrowingStream { [clock] in
      do { try await clock.sleep(for: .milliseconds(20)) } catch { return nil }
      let first = await position.advance(FrameCount(.milliseconds(20), at: format.sampleRate))
      let buffer = signal.buffer(
        FrameCount(.milliseconds(20), at: format.sampleRate), format: format, firstFrame: first)
      return CapturedAudio(buffer: buffer, time: first.duration(at: format.sampleRate))
    }
  }
}

/// Where a preview's microphone is on its time-line.
private actor PreviewPosition {
  private var next: FrameCount = 0

  func advance(_ frames: FrameCount) -> FrameCount {
    defer { next += frames }
    return next
  }
}
