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

  private var start: StartGate?
  private var pause: PauseGate
  private var end: SilenceEnd?
  private var trimmer: EdgeTrimmer?
  /// Whether silence has ended the recording.
  private(set) var isOver = false

  init(_ request: RecordingRequest, rate: SampleRate) {
    start = StartGate(request, rate: rate)
    pause = PauseGate(fade: FrameCount(Self.fade, at: rate))
    end = request.endAfterSilence.map { SilenceEnd($0, rate: rate) }
    trimmer = request.trim.map { EdgeTrimmer($0, rate: rate) }
  }

  /// Whether the recording has not begun.
  var isWaiting: Bool { start != nil }

  /// Whether a pause omits the current audio.
  var isPaused: Bool { pause.isPaused }

  mutating func apply(_ command: RecordingCommand) -> [Output] {
    switch command {
    case .start:
      if let beginning = start?.begin() { return begin(beginning) }
    case .pause: pause.pause()
    case .resume: pause.resume()
    case .roll, .stop: break
    }
    return []
  }

  mutating func process(_ buffer: AudioBuffer) -> [Output] {
    guard !buffer.isEmpty, !isOver else { return [] }
    guard isWaiting else { return record(buffer) }
    return start?.process(buffer).map { begin($0) } ?? []
  }

  /// Processes frames that replace lost ones; they do not count as silence that ends the recording.
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

  private mutating func record(_ buffer: AudioBuffer, isCaptured: Bool = true) -> [Output] {
    guard !isOver else { return [] }
    let (kept, step) = pause.process(buffer)
    let held = trimmer?.pendingFrames ?? 0
    let recorded = kept.map { keep($0, isCaptured) } ?? []
    return switch step {
    case .unchanged: recorded
    case .paused: recorded + [.paused(held: trimmer?.pendingFrames ?? 0)]
    case .resumed: [.resumed(held: held)] + recorded
    }
  }

  private mutating func keep(_ buffer: AudioBuffer, _ isCaptured: Bool) -> [Output] {
    var buffer = buffer
    if isCaptured, let last = end?.process(buffer) {
      isOver = true
      buffer = buffer.frames(0..<last)
    }
    return (trimmer?.process(buffer) ?? [buffer]).map(Output.keep)
  }
}

extension StartGate {
  /// Nil if the recording begins immediately.
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

/// Omits the audio of a pause, with a short fade at both edges.
struct PauseGate {
  /// The transition that a buffer causes.
  enum Step: Equatable {
    case unchanged
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

  /// Returns the frames of a buffer to keep, and whether a pause begins or ends with it.
  mutating func process(_ buffer: AudioBuffer) -> (kept: AudioBuffer?, step: Step) {
    guard !buffer.isEmpty, wantsPause != isPaused else {
      return (isPaused ? nil : buffer, .unchanged)
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

/// Trims the silence at the beginning and at the end, except for a margin; pauses within the sound
/// are kept.
struct EdgeTrimmer {
  /// The maximum silence to hold; longer silence is recorded.
  static let limit = Duration.seconds(60)

  private let loudFrames: LoudFrameFinder
  private let margin: FrameCount
  private let limit: FrameCount
  private var offset = OffsetFilter()
  private var held = HeldBuffers()
  private var hasBegun = false
  /// Whether silence beyond the limit was recorded.
  private var hasGivenSilence = false

  init(_ rule: LevelRule, rate: SampleRate, limit: Duration = Self.limit) {
    loudFrames = LoudFrameFinder(threshold: rule.threshold)
    margin = FrameCount(rule.hold, at: rate)
    self.limit = max(margin, FrameCount(limit, at: rate))
  }

  var heldFrames: FrameCount { held.frameCount }

  /// The number of held frames that a later sound would add to the recording.
  fileprivate var pendingFrames: FrameCount { hasBegun ? held.frameCount : 0 }

  mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(buffer)
    let levels = offset.levels(of: buffer)
    guard let last = loudFrames.last(in: levels) else { return popSilence() }
    if !hasBegun, let first = loudFrames.first(in: levels) {
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

/// Waits for the beginning of a recording and keeps the pre-roll.
struct StartGate {
  /// The beginning of a recording.
  struct Beginning: Equatable {
    /// The frames before the beginning.
    var preRoll: FrameCount
    var buffers: [AudioBuffer]
  }

  private let preRoll: FrameCount
  private var trigger: SoundTrigger?
  private var held = HeldBuffers()
  private var position: FrameCount = 0

  /// - Parameter trigger: the sound to wait for; nil for a command.
  init(preRoll: FrameCount, trigger: SoundTrigger?) {
    (self.preRoll, self.trigger) = (preRoll, trigger)
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Processes captured audio; returns the beginning when it is found.
  mutating func process(_ buffer: AudioBuffer) -> Beginning? {
    held.append(buffer)
    position += buffer.frameCount
    if let onset = trigger?.process(buffer) { return begin(at: onset) }
    forget(before: (trigger?.candidate ?? position) - preRoll)
    return nil
  }

  /// Begins now, on command.
  mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    forget(before: onset - preRoll)
    let first = position - held.frameCount
    return Beginning(preRoll: onset - first, buffers: held.popAll())
  }

  private mutating func forget(before frame: FrameCount) {
    _ = held.popFirst(frame - (position - held.frameCount))
  }
}

/// Finds the first sound of sufficient length.
///
/// A sound begins with a loud frame and lasts to the last one before a pause of 50 ms.
struct SoundTrigger {
  private static let pause = Duration.milliseconds(50)

  private let loudFrames: LoudFrameFinder
  private let hold: FrameCount
  private let pause: FrameCount
  private var offset = OffsetFilter()
  private var position: FrameCount = 0
  private var sound: (first: FrameCount, last: FrameCount)?

  init(_ rule: LevelRule, rate: SampleRate) {
    loudFrames = LoudFrameFinder(threshold: rule.threshold)
    hold = max(1, FrameCount(rule.hold, at: rate))
    pause = FrameCount(Self.pause, at: rate)
  }

  /// The first frame of a sound that may still become long enough.
  var candidate: FrameCount? { sound?.first }

  /// Processes a buffer; returns the first frame of a sound as soon as the sound is long enough.
  mutating func process(_ buffer: AudioBuffer) -> FrameCount? {
    let levels = offset.levels(of: buffer)
    var next = loudFrames.first(in: levels)
    while let frame = next {
      if let first = process(loudFrame: position + frame) { return first }
      next = loudFrames.first(in: levels, from: frame + 1)
    }
    position += buffer.frameCount
    if let sound, position - sound.last > pause { self.sound = nil }
    return nil
  }

  private mutating func process(loudFrame frame: FrameCount) -> FrameCount? {
    let begun = sound.flatMap { frame - $0.last > pause ? nil : $0.first } ?? frame
    sound = (begun, frame)
    return frame - begun + 1 >= hold ? begun : nil
  }
}
