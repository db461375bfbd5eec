import AudioCore
import AudioRecorderClient

/// Selects the frames of a recording: determines its beginning and end, omits pauses, and trims
/// silence.
struct RecordingGate {
  /// An action; actions are performed in order.
  enum Output: Equatable {
    case keep(AudioBuffer)
    case began(preRoll: FrameCount)
    /// A pause begins. `held` frames before it are held, and are recorded unless the recording
    /// ends.
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
    start = StartGate(request, rate: rate)
    fade = FrameCount(Self.fade, at: rate)
    end = request.endAfterSilence.map { SilenceEnd($0, rate: rate) }
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
    return start?.process(buffer).map { begin($0) } ?? []
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
    if isCaptured, let last = end?.process(buffer) {
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

/// Trims the silence at the beginning and at the end, except for a margin; pauses within the sound
/// are kept.
struct EdgeTrimmer {
  /// The maximum silence to hold after a sound.
  ///
  /// If a pause is longer, its oldest frames are recorded.
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
    threshold = rule.amplitude
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

/// Waits for the beginning of a recording, which is a command or a sound of sufficient length, and
/// keeps the pre-roll.
///
/// A sound begins with a loud frame and lasts to the last loud frame before a pause of 50 ms.
struct StartGate {
  /// The audio from the pre-roll on; `preRoll` is the number of its frames before the beginning.
  typealias Beginning = (preRoll: FrameCount, buffers: [AudioBuffer])

  private static let pause = Duration.milliseconds(50)

  private let preRoll: FrameCount
  /// The amplitude of a loud frame; nil if only a command begins the recording.
  private let threshold: Float?
  private let hold: FrameCount
  private let pause: FrameCount
  private var offset = OffsetFilter()
  private var held = HeldBuffers()
  private var position: FrameCount = 0
  /// The first and the last loud frame of a sound that may still become long enough.
  private var sound: (first: FrameCount, last: FrameCount)?

  /// Creates a gate that waits for `sound`, or for a command if it is nil.
  init(_ sound: LevelRule?, preRoll: Duration, rate: SampleRate) {
    self.preRoll = FrameCount(preRoll, at: rate)
    threshold = sound?.amplitude
    hold = max(1, FrameCount(sound?.hold ?? .zero, at: rate))
    pause = FrameCount(Self.pause, at: rate)
  }

  /// Creates the gate of a request; nil if the recording begins immediately.
  init?(_ request: RecordingRequest, rate: SampleRate) {
    switch request.start {
    case .immediately: return nil
    case .onCommand: self.init(nil, preRoll: request.preRoll, rate: rate)
    case .atSound(let rule): self.init(rule, preRoll: request.preRoll, rate: rate)
    }
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Processes captured audio; returns the beginning as soon as a sound is long enough.
  mutating func process(_ buffer: AudioBuffer) -> Beginning? {
    held.append(buffer)
    let onset = onset(in: buffer)
    position += buffer.frameCount
    if let onset { return begin(at: onset) }
    if let sound, position - sound.last > pause { self.sound = nil }
    forget(before: (sound?.first ?? position) - preRoll)
    return nil
  }

  /// Begins now, on command.
  mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    forget(before: onset - preRoll)
    let first = position - held.frameCount
    return (onset - first, held.popAll())
  }

  private mutating func forget(before frame: FrameCount) {
    _ = held.popFirst(frame - (position - held.frameCount))
  }

  /// Returns the first frame of a sound that becomes long enough in this buffer.
  private mutating func onset(in buffer: AudioBuffer) -> FrameCount? {
    guard let threshold else { return nil }
    let levels = offset.levels(of: buffer)
    var next = levels.firstLoudFrame(threshold)
    while let index = next {
      let frame = position + index
      let first = sound.flatMap { frame - $0.last > pause ? nil : $0.first } ?? frame
      sound = (first, frame)
      if frame - first + 1 >= hold { return first }
      next = levels.firstLoudFrame(threshold, from: index + 1)
    }
    return nil
  }
}
