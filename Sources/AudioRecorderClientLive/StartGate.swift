import AudioCore
import AudioRecorderClient

/// Waits for the beginning of a recording and keeps what was heard before it.
struct StartGate {
  /// The beginning of a recording.
  struct Beginning: Equatable {
    /// The frames before the moment at which it begins.
    var preRoll: FrameCount
    var buffers: [AudioBuffer]
  }

  private let preRoll: FrameCount
  private var trigger: SoundTrigger?
  private var held = HeldBuffers()
  private var position: FrameCount = 0

  /// - Parameter trigger: what it waits for; nil for a command.
  init(preRoll: FrameCount, trigger: SoundTrigger?) {
    (self.preRoll, self.trigger) = (preRoll, trigger)
  }

  var heldFrames: FrameCount { held.frameCount }

  /// Takes what is heard; the beginning as soon as there is one.
  mutating func take(_ buffer: AudioBuffer) -> Beginning? {
    held.append(buffer)
    position += buffer.frameCount
    if let onset = trigger?.hears(buffer) { return begin(at: onset) }
    forget(before: (trigger?.candidate ?? position) - preRoll)
    return nil
  }

  /// The beginning now, by command.
  mutating func begin() -> Beginning { begin(at: position) }

  private mutating func begin(at onset: FrameCount) -> Beginning {
    forget(before: onset - preRoll)
    let first = position - held.frameCount
    return Beginning(preRoll: onset - first, buffers: held.takeAll())
  }

  private mutating func forget(before frame: FrameCount) {
    _ = held.take(frame - (position - held.frameCount))
  }
}

/// Finds where it became loud for long enough.
///
/// A sound begins with a loud frame and lasts to the last one before a pause of 50 ms.
struct SoundTrigger {
  private static let pause = Duration.milliseconds(50)

  private let loudness: Loudness
  private let hold: FrameCount
  private let pause: FrameCount
  private var position: FrameCount = 0
  private var sound: (first: FrameCount, last: FrameCount)?

  init(_ rule: LevelRule, rate: SampleRate) {
    loudness = Loudness(threshold: rule.threshold)
    hold = max(1, FrameCount(rule.hold, at: rate))
    pause = FrameCount(Self.pause, at: rate)
  }

  /// The index of the first frame of what may become a sound that is long enough.
  var candidate: FrameCount? { sound?.first }

  /// The index of the first frame of a sound that has been loud for long enough, once it has.
  mutating func hears(_ buffer: AudioBuffer) -> FrameCount? {
    var next = loudness.firstLoud(in: buffer)
    while let frame = next {
      if let first = hears(loudFrame: position + frame) { return first }
      next = loudness.firstLoud(in: buffer, from: frame + 1)
    }
    position += buffer.frameCount
    if let sound, position - sound.last > pause { self.sound = nil }
    return nil
  }

  private mutating func hears(loudFrame frame: FrameCount) -> FrameCount? {
    let begun = sound.flatMap { frame - $0.last > pause ? nil : $0.first } ?? frame
    sound = (begun, frame)
    return frame - begun + 1 >= hold ? begun : nil
  }
}
