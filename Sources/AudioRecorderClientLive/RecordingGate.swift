import AudioCore
import AudioRecorderClient

/// Decides what of the audio goes into a recording, frame by frame: when it begins, what a pause
/// leaves out, where silence is trimmed, and when it is over.
struct RecordingGate {
  /// What is to be done, in order.
  enum Output: Equatable {
    case keep(AudioBuffer)
    case began(preRoll: FrameCount)
    /// So many frames before it are held back: they belong to the recording unless it ends.
    case paused(held: FrameCount)
    case resumed(held: FrameCount)
  }

  /// At both edges of a pause.
  static let fade = Duration.milliseconds(5)

  private var start: StartGate?
  private var pause: PauseGate
  private var end: SilenceEnd?
  private var trimmer: EdgeTrimmer?
  /// Whether it was silent for so long that the recording is over.
  private(set) var isOver = false

  init(_ request: RecordingRequest, rate: SampleRate) {
    start = StartGate(request, rate: rate)
    pause = PauseGate(fade: FrameCount(Self.fade, at: rate))
    end = request.endAfterSilence.map { SilenceEnd($0, rate: rate) }
    trimmer = request.trim.map { EdgeTrimmer($0, rate: rate) }
  }

  /// Whether it has not begun yet.
  var isWaiting: Bool { start != nil }

  /// Whether what is heard now is left out.
  var isPaused: Bool { pause.isPaused }

  var heldFrames: FrameCount { (start?.heldFrames ?? 0) + (trimmer?.heldFrames ?? 0) }

  mutating func obey(_ command: RecordingCommand) -> [Output] {
    switch command {
    case .start:
      if let beginning = start?.begin() { return begin(beginning) }
    case .pause: pause.pause()
    case .resume: pause.resume()
    case .roll, .stop: break
    }
    return []
  }

  mutating func take(_ buffer: AudioBuffer) -> [Output] {
    guard !buffer.isEmpty, !isOver else { return [] }
    guard isWaiting else { return record(buffer) }
    return start?.take(buffer).map { begin($0) } ?? []
  }

  /// Frames in the place of lost ones: nobody heard them, so that they are no silence that ends it.
  mutating func insert(_ buffer: AudioBuffer) -> [Output] {
    guard !buffer.isEmpty, !isOver else { return [] }
    return isWaiting ? take(buffer) : record(buffer, isHeard: false)
  }

  /// What was held back at the end.
  mutating func finish() -> [Output] { trimmer?.finish().map(Output.keep) ?? [] }

  private mutating func begin(_ beginning: StartGate.Beginning) -> [Output] {
    start = nil
    end?.skip(beginning.preRoll)
    return [.began(preRoll: beginning.preRoll)] + beginning.buffers.flatMap { record($0) }
  }

  private mutating func record(_ buffer: AudioBuffer, isHeard: Bool = true) -> [Output] {
    guard !isOver else { return [] }
    let (kept, step) = pause.take(buffer)
    let held = trimmer?.pendingFrames ?? 0
    let recorded = kept.map { keep($0, isHeard) } ?? []
    return switch step {
    case .goesOn: recorded
    case .paused: recorded + [.paused(held: trimmer?.pendingFrames ?? 0)]
    case .resumed: [.resumed(held: held)] + recorded
    }
  }

  private mutating func keep(_ buffer: AudioBuffer, _ isHeard: Bool) -> [Output] {
    var buffer = buffer
    if isHeard, let last = end?.take(buffer) {
      isOver = true
      buffer = buffer.frames(0..<last)
    }
    return (trimmer?.take(buffer) ?? [buffer]).map(Output.keep)
  }
}

extension StartGate {
  /// Nil where there is nothing to wait for.
  fileprivate init?(_ request: RecordingRequest, rate: SampleRate) {
    let preRoll = FrameCount(request.preRoll, at: rate)
    switch request.start {
    case .immediately: return nil
    case .onCommand: self.init(preRoll: preRoll, trigger: nil)
    case .atSound(let rule):
      self.init(preRoll: preRoll, trigger: SoundTrigger(rule, rate: rate))
    }
  }
}

/// Leaves out what is heard during a pause, with a short fade at either edge.
struct PauseGate {
  /// What became of a buffer.
  enum Step: Equatable {
    case goesOn
    case paused
    case resumed
  }

  private let fade: FrameCount
  private var wantsPause = false
  private(set) var isPaused = false

  init(fade: FrameCount) {
    self.fade = fade
  }

  mutating func pause() {
    wantsPause = true
  }

  mutating func resume() {
    wantsPause = false
  }

  /// What of a buffer is kept, and whether a pause begins or ends with it.
  mutating func take(_ buffer: AudioBuffer) -> (kept: AudioBuffer?, step: Step) {
    guard !buffer.isEmpty, wantsPause != isPaused else {
      return (isPaused ? nil : buffer, .goesOn)
    }
    isPaused = wantsPause
    let length = min(fade, buffer.frameCount)
    guard isPaused else { return (faded(buffer, over: length, rising: true), .resumed) }
    return (faded(buffer.frames(0..<length), over: length, rising: false), .paused)
  }

  private func faded(
    _ buffer: AudioBuffer, over length: FrameCount, rising: Bool
  ) -> AudioBuffer {
    let channels = buffer.format.channelCount
    var samples = buffer.samples
    for index in 0..<length.rawValue * channels {
      let passed = Float(index / channels + 1) / Float(length.rawValue + 1)
      samples[index] *= rising ? passed : 1 - passed
    }
    return AudioBuffer(format: buffer.format, samples: samples, firstFrame: buffer.firstFrame)
  }
}

/// Leaves out the silence at the beginning and at the end, but for a margin; pauses within the
/// sound stay.
struct EdgeTrimmer {
  /// Silence that lasts longer is not held back for its end: it belongs to the recording.
  static let limit = Duration.seconds(60)

  private let loudness: Loudness
  private let margin: FrameCount
  private let limit: FrameCount
  private var held = HeldBuffers()
  private var hasBegun = false
  /// Whether silence is in the recording that was held back for too long.
  private var hasGivenSilence = false

  init(_ rule: LevelRule, rate: SampleRate, limit: Duration = Self.limit) {
    loudness = Loudness(threshold: rule.threshold)
    margin = FrameCount(rule.hold, at: rate)
    self.limit = max(margin, FrameCount(limit, at: rate))
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Those of them that sound would make part of the recording for certain.
  fileprivate var pendingFrames: FrameCount { hasBegun ? held.frameCount : 0 }

  mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(buffer)
    guard let last = loudness.lastLoud(in: buffer) else { return takeSilence() }
    if !hasBegun, let first = loudness.firstLoud(in: buffer) {
      _ = held.take(held.frameCount - buffer.frameCount + first - margin)
      hasBegun = true
    }
    hasGivenSilence = false
    return held.take(held.frameCount - (buffer.frameCount - last - 1))
  }

  /// The margin after the last sound.
  mutating func finish() -> [AudioBuffer] {
    hasBegun && !hasGivenSilence ? held.take(margin) : []
  }

  private mutating func takeSilence() -> [AudioBuffer] {
    guard hasBegun else {
      _ = held.take(held.frameCount - margin)
      return []
    }
    let surplus = held.take(held.frameCount - limit)
    if !surplus.isEmpty { hasGivenSilence = true }
    return surplus
  }
}
