import AudioCore
import AudioRecorderClient

/// Selects the frames of a recording: determines its beginning and end, omits pauses, and trims
/// silence.
struct RecordingGate {
  /// Audio to record, or an event to report; outputs are handled in order.
  enum Output: Equatable {
    case keep(AudioBuffer)
    case began(preRoll: FrameCount)
    /// A pause begins.
    ///
    /// The gate still holds `held` frames from before the pause. They are recorded unless the
    /// recording ends first.
    case paused(held: FrameCount)
    case resumed(held: FrameCount)
  }

  /// The length of the fade at both edges of a pause.
  static let fade = Duration.milliseconds(5)

  private let fade: FrameCount
  private var start: StartGate?
  private var wantsPause = false
  /// Whether a pause omits the current audio.
  private(set) var isPaused = false
  private var end: SilenceEnd?
  private var trimmer: EdgeTrimmer?
  /// Whether silence has ended the recording.
  private(set) var isOver = false

  init(_ request: RecordingRequest, rate: SampleRate) {
    start = StartGate(request)
    fade = FrameCount(Self.fade, at: rate)
    end = request.endAfterSilence.map { SilenceEnd(below: $0.threshold, hold: $0.hold) }
    trimmer = request.trim.map { EdgeTrimmer($0, rate: rate) }
  }

  /// Whether the recording is still waiting to begin.
  var isWaiting: Bool { start != nil }

  mutating func apply(_ command: RecordingCommand) -> [Output] {
    switch command {
    case .start:
      if let beginning = start?.begin() { return begin(beginning) }
    case .pause: wantsPause = true
    case .resume: wantsPause = false
    case .roll, .stop: break
    }
    return []
  }

  mutating func process(_ buffer: AudioBuffer) -> [Output] {
    guard !buffer.isEmpty, !isOver else { return [] }
    guard isWaiting else { return record(buffer) }
    return start?.opening(in: buffer).map { begin($0) } ?? []
  }

  /// Processes frames that replace lost frames; they do not count as silence that ends the
  /// recording.
  mutating func insert(_ buffer: AudioBuffer) -> [Output] {
    guard !buffer.isEmpty, !isOver else { return [] }
    return isWaiting ? process(buffer) : record(buffer, isCaptured: false)
  }

  /// Returns the held frames that belong to the recording's end.
  mutating func flush() -> [Output] { trimmer?.flush().map(Output.keep) ?? [] }

  private mutating func begin(_ beginning: StartGate.Beginning) -> [Output] {
    start = nil
    end?.skip(beginning.preRoll)
    return [.began(preRoll: beginning.preRoll)] + beginning.buffers.flatMap { record($0) }
  }

  /// Records a buffer; a pause begins and ends with a short fade.
  private mutating func record(_ buffer: AudioBuffer, isCaptured: Bool = true) -> [Output] {
    guard !isOver else { return [] }
    guard wantsPause != isPaused else { return isPaused ? [] : keep(buffer, isCaptured) }
    isPaused = wantsPause
    let length = min(fade, buffer.frameCount)
    if isPaused {
      let last = buffer.frames(0..<length).faded(over: length, rising: false)
      return keep(last, isCaptured) + [.paused(held: heldFrames)]
    }
    return [.resumed(held: heldFrames)]
      + keep(buffer.faded(over: length, rising: true), isCaptured)
  }

  /// The held frames that a later sound would add to the recording.
  private var heldFrames: FrameCount { trimmer?.pendingFrames ?? 0 }

  private mutating func keep(_ buffer: AudioBuffer, _ isCaptured: Bool) -> [Output] {
    var buffer = buffer
    if isCaptured, let last = end?.end(in: buffer) {
      isOver = true
      buffer = buffer.frames(0..<last)
    }
    return (trimmer?.process(buffer) ?? [buffer]).map(Output.keep)
  }
}

extension AudioBuffer {
  /// Returns the buffer with a fade of its first `length` frames.
  fileprivate func faded(over length: FrameCount, rising: Bool) -> AudioBuffer {
    var samples = samples
    for index in 0..<length.rawValue * format.channelCount {
      let passed = Float(index / format.channelCount + 1) / Float(length.rawValue + 1)
      samples[index] *= rising ? passed : 1 - passed
    }
    return AudioBuffer(format: format, samples: samples, firstFrame: firstFrame)
  }
}

/// Trims the silence at the beginning and at the end, except for a margin; silence within the sound
/// is kept.
struct EdgeTrimmer {
  /// The maximum silence to hold after a sound.
  ///
  /// If the silence is longer, its oldest frames are recorded.
  static let limit = Duration.seconds(60)

  private let threshold: Float
  private let margin: FrameCount
  private let limit: FrameCount
  private var offset = OffsetFilter()
  private var held = HeldBuffers()
  private var hasBegun = false
  /// Whether silence beyond the limit was recorded.
  private var hasGivenSilence = false

  init(_ rule: LevelRule, rate: SampleRate, limit: Duration = Self.limit) {
    threshold = Float(rule.threshold.amplitude)
    margin = FrameCount(rule.hold, at: rate)
    self.limit = max(margin, FrameCount(limit, at: rate))
  }

  var heldFrames: FrameCount { held.frameCount }

  /// The number of held frames that a later sound would add to the recording.
  fileprivate var pendingFrames: FrameCount { hasBegun ? held.frameCount : 0 }

  mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(buffer)
    let levels = offset.levels(of: buffer)
    guard let last = levels.lastLoudFrame(threshold) else { return popSilence() }
    if !hasBegun, let first = levels.firstLoudFrame(threshold) {
      _ = held.popFirst(held.frameCount - buffer.frameCount + first - margin)
      hasBegun = true
    }
    hasGivenSilence = false
    return held.popFirst(held.frameCount - (buffer.frameCount - last - 1))
  }

  /// Returns the margin after the last sound.
  mutating func flush() -> [AudioBuffer] {
    hasBegun && !hasGivenSilence ? held.popFirst(margin) : []
  }

  private mutating func popSilence() -> [AudioBuffer] {
    guard hasBegun else {
      _ = held.popFirst(held.frameCount - margin)
      return []
    }
    let surplus = held.popFirst(held.frameCount - limit)
    if !surplus.isEmpty { hasGivenSilence = true }
    return surplus
  }
}

extension StartGate {
  /// Creates the gate of a request; nil if the recording begins immediately.
  fileprivate init?(_ request: RecordingRequest) {
    switch request.start {
    case .immediately: return nil
    case .onCommand: self.init(preRoll: request.preRoll)
    case .atSound(let rule):
      self.init(above: rule.threshold, hold: rule.hold, preRoll: request.preRoll)
    }
  }
}
