import AudioCore
import ClientDependencies
import FoundationEssentials

extension AudioRecorderClient {
  static func preview() -> AudioRecorderClient {
    let stage = PreviewStage<PreviewRecording>()
    @Sendable func recording(
      _ request: RecordingRequest
    ) async -> AsyncThrowingStream<RecordingEvent, any Error> {
      @Dependency(\.continuousClock) var clock
      return await stage.start(PreviewRecording(request), on: clock, policy: .recording) { others in
        if let id = request.id, others.contains(where: { $0.id == id }) {
          throw AudioRecorderError.idInUse(id)
        }
      }
    }
    @Sendable func control(
      where isMeant: @Sendable (PreviewRecording) -> Bool = { _ in true },
      _ command: RecordingCommand
    ) async -> Bool {
      let interrupts = command == .stop || command == .pause
      return
        (try? await stage.update(where: isMeant, interrupting: interrupts) {
          $0.control(command)
        }) ?? false
    }
    return AudioRecorderClient(
      currentTime: { await stage.scripts.last?.recorded.inSeconds },
      requestRecordPermission: { true },
      startRecording: { url in
        var hasRecorded = false
        for try await event in await recording(RecordingRequest(url: url)) {
          if case .finished(let finish) = event { hasRecorded = finish.frameCount > 0 }
        }
        try Task.checkCancellation()
        return hasRecorded
      },
      stopRecording: { _ = await control(.stop) },
      recording: recording,
      capture: { PreviewRecording.capture($0) },
      control: { id, command in
        let isKnown = await control(where: { $0.id == id }, command)
        if !isKnown, command != .stop { throw AudioRecorderError.unknownRecording(id) }
      },
      pause: { _ = await control(.pause) },
      resume: { _ = await control(.resume) },
      devices: {
        [
          AudioDevice(
            id: "preview", name: "Preview microphone", directions: [.capture], isDefault: true,
            isVirtual: true)
        ]
      })
  }
}

/// A recording of a soft tone that is written to no file.
private struct PreviewRecording: PreviewScript {
  private static let signal = AudioSignal.sine(440, amplitude: 0.1)
  private static let period = Duration.milliseconds(100)

  let id: RecordingID?
  private let maximumDuration: Duration?
  private let levelsInterval: Duration
  private let format: AudioFormat
  private(set) var recorded = Duration.zero
  private var levelsAt = Duration.zero
  private var isPaused = false
  private var isWaiting: Bool
  private var hasBegun: Bool
  private var isOver = false
  private var events: [RecordingEvent]

  init(_ request: RecordingRequest) {
    (id, maximumDuration, levelsInterval) = (
      request.id, request.maximumDuration, request.levelsInterval
    )
    format = Self.format(request.sampleRate, request.channelCount)
    isWaiting = request.start == .onCommand
    hasBegun = request.start == .immediately
    events = [
      .started(RecordingStart(device: "preview", deviceFormat: format, fileFormat: format))
    ]
    if !hasBegun { events.append(.waiting) }
  }

  mutating func next() -> PreviewStep<RecordingEvent> {
    if !events.isEmpty { return .send(events.removeFirst()) }
    if isOver { return .end() }
    if isPaused || isWaiting { return .hold }
    let left = maximumDuration.map { $0 - recorded } ?? Self.period
    if left > .zero { return .wait(min(left, Self.period)) }
    finish(.lengthReached)
    return next()
  }

  mutating func waited(_ duration: Duration?) {
    if !hasBegun { events.append(.began(preRoll: .zero)) }
    hasBegun = true
    recorded += duration ?? .zero
    guard recorded - levelsAt >= levelsInterval || recorded == maximumDuration else { return }
    levelsAt = recorded
    let level = Self.signal.buffer(Self.period, format: format).level
    events.append(.levels(RecordingLevels(recorded: recorded, level: level)))
  }

  mutating func control(_ command: RecordingCommand) {
    switch command {
    case .pause: isPaused = true
    case .resume: isPaused = false
    case .stop: finish(.stopped)
    case .start: isWaiting = false
    case .roll: break
    }
  }

  private mutating func finish(_ reason: RecordingFinish.Reason) {
    isOver = true
    let frameCount = FrameCount(recorded, at: format.sampleRate)
    events.append(
      .finished(RecordingFinish(reason: reason, frameCount: frameCount, recorded: recorded)))
  }

  private static func format(_ sampleRate: SampleRate?, _ channelCount: Int?) -> AudioFormat {
    AudioFormat(sampleRate: sampleRate ?? 48_000, channelCount: max(1, channelCount ?? 1))
  }

  /// Buffers of 20 ms on the clock, pulled by the consumer, so that a slow one is not overrun.
  static func capture(_ request: CaptureRequest) -> AsyncThrowingStream<CapturedAudio, any Error> {
    @Dependency(\.continuousClock) var clock
    let format = format(request.sampleRate, request.channelCount)
    let position = Position()
    return AsyncThrowingStream { [clock] in
      do { try await clock.sleep(for: .milliseconds(20)) } catch { return nil }
      let length = FrameCount(.milliseconds(20), at: format.sampleRate)
      let first = await position.advance(length)
      return CapturedAudio(
        buffer: signal.buffer(length, format: format, firstFrame: first),
        time: first.duration(at: format.sampleRate))
    }
  }

  private actor Position {
    private var next: FrameCount = 0

    func advance(_ frames: FrameCount) -> FrameCount {
      defer { next += frames }
      return next
    }
  }
}
