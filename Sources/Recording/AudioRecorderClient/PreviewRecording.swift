import AudioCore
import ClientDependencies
import FoundationEssentials
import Synchronization

extension AudioRecorderClient {
  static func preview() -> AudioRecorderClient {
    let stage = PreviewStage<PreviewRecording>()
    @Sendable func recording(
      _ request: RecordingRequest
    ) async -> AsyncThrowingStream<RecordingEvent, any Error> {
      @Dependency(\.continuousClock) var clock
      do {
        return await stage.start(
          try PreviewRecording(request), on: clock, isImmediate: clock is ImmediateClock<Duration>,
          policy: .recording
        ) { others in
          if let id = request.id, others.contains(where: { $0.id == id }) {
            throw AudioRecorderError.idInUse(id)
          }
        }
      } catch {
        return .finished(throwing: error)
      }
    }
    @Sendable func control(
      where isMeant: @Sendable (PreviewRecording) -> Bool = { _ in true },
      _ command: RecordingCommand
    ) async -> Bool {
      (try? await stage.update(where: isMeant) { $0.control(command) }) ?? false
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
      capture: { $0.preview() },
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

/// A recording of a soft tone that writes no file.
private struct PreviewRecording: PreviewScript {
  let id: RecordingID?
  private let maximumDuration: Duration?
  private let levelsInterval: Duration
  private let format: AudioFormat
  private let level: AudioLevel
  private(set) var recorded = Duration.zero
  private var levelsAt = Duration.zero
  private var isPaused = false
  private var isWaiting: Bool
  private var isOver = false
  private var events: [RecordingEvent]

  init(_ request: RecordingRequest) throws(AudioRecorderError) {
    try request.check()
    (id, maximumDuration) = (request.id, request.maximumDuration)
    levelsInterval = max(.milliseconds(100), request.levelsInterval)
    format = try .preview(request.sampleRate, request.channelCount, request.channels)
    level = AudioSignal.preview.buffer(.milliseconds(100), format: format).level
    isWaiting = request.start == .onCommand
    events = [
      .started(
        RecordingStart(
          device: "preview",
          deviceFormat: AudioFormat(sampleRate: format.sampleRate, channelCount: 1),
          fileFormat: format))
    ]
    if request.start != .immediately { events.append(.waiting) }
    if case .atSound = request.start { events.append(.began(preRoll: .zero)) }
  }

  var isEndless: Bool { maximumDuration == nil }

  mutating func next() -> PreviewStep<RecordingEvent> {
    if !events.isEmpty { return .send(events.removeFirst()) }
    if isOver { return .end() }
    if isPaused || isWaiting { return .hold }
    let untilLevels = levelsAt + levelsInterval - recorded
    let left = maximumDuration.map { $0 - recorded } ?? untilLevels
    if left > .zero { return .wait(min(left, untilLevels)) }
    finish(.lengthReached)
    return next()
  }

  mutating func waited(_ duration: Duration) {
    recorded += duration
    guard recorded - levelsAt >= levelsInterval || recorded == maximumDuration else { return }
    levelsAt = recorded
    events.append(.levels(RecordingLevels(recorded: recorded, level: level)))
  }

  mutating func control(_ command: RecordingCommand) {
    switch command {
    case .pause:
      if !isPaused { events.append(.paused(recorded)) }
      isPaused = true
    case .resume:
      if isPaused { events.append(.resumed(recorded)) }
      isPaused = false
    case .stop: finish(.stopped)
    case .start:
      if isWaiting { events.append(.began(preRoll: .zero)) }
      isWaiting = false
    case .roll: break
    }
  }

  private mutating func finish(_ reason: RecordingFinish.Reason) {
    isOver = true
    let frameCount = FrameCount(recorded, at: format.sampleRate)
    events.append(
      .finished(RecordingFinish(reason: reason, frameCount: frameCount, recorded: recorded)))
  }
}

extension AudioSignal {
  /// The tone that the microphone of previews captures.
  fileprivate static let preview = AudioSignal.sine(440, amplitude: 0.1)
}

extension AudioFormat {
  /// Returns the format of a preview's audio.
  ///
  /// The microphone of previews has one channel and supports every rate. Throws if the request
  /// picks a channel that the microphone lacks.
  fileprivate static func preview(
    _ sampleRate: SampleRate?, _ channelCount: Int?, _ channels: [Int]?
  ) throws(AudioRecorderError) -> AudioFormat {
    let device = AudioFormat(sampleRate: sampleRate ?? 48_000, channelCount: 1)
    try checkChannels(channels, on: device)
    return AudioFormat(
      sampleRate: device.sampleRate, channelCount: channelCount ?? channels?.count ?? 1)
  }
}

extension CaptureRequest {
  /// Returns buffers, 20 ms long by default, at the pace of the clock.
  ///
  /// The consumer pulls them, so a slow consumer is not overrun.
  fileprivate func preview() -> AsyncThrowingStream<CapturedAudio, any Error> {
    @Dependency(\.continuousClock) var clock
    let format: AudioFormat
    do throws(AudioRecorderError) {
      try check()
      format = try .preview(sampleRate, channelCount, channels)
    } catch {
      return .finished(throwing: error)
    }
    let length = framesPerBuffer ?? FrameCount(.milliseconds(20), at: format.sampleRate)
    let next = Mutex(FrameCount.zero)
    return AsyncThrowingStream { [clock] in
      do { try await clock.sleep(for: length.duration(at: format.sampleRate)) } catch { return nil }
      let first = next.withLock { next in
        defer { next += length }
        return next
      }
      return CapturedAudio(
        buffer: AudioSignal.preview.buffer(length, format: format, firstFrame: first),
        time: first.duration(at: format.sampleRate))
    }
  }
}
