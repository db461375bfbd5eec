import AudioCore
import SoundCard

/// How many frames an interruption cost, by the clock: what the device held when it was last looked
/// at, and the time since then, also that in which the machine slept.
struct LossClock {
  private let direction: AudioDevice.Direction
  private let rate: SampleRate
  private var held = 0
  private var seenAt: BootTime?

  init(direction: AudioDevice.Direction, rate: SampleRate) {
    self.direction = direction
    self.rate = rate
  }

  /// The device runs and holds so many frames: still to be heard, or still to be read.
  mutating func saw(held: Int, at time: BootTime) {
    self.held = held
    seenAt = time
  }

  /// Frames were written or read since the device was looked at.
  mutating func transferred(_ frames: Int) {
    held += direction == .playback ? frames : -frames
  }

  /// The device begins to run at `time` with what it holds.
  mutating func restarted(at time: BootTime) {
    seenAt = time
  }

  /// Forgets everything: the device does not run.
  mutating func stopped() {
    held = 0
    seenAt = nil
  }

  /// The frames of silence heard, or of sound missed, if the device goes on at `time`, without what
  /// it held or with it.
  func lost(at time: BootTime, isEmptied: Bool = true) -> FrameCount {
    guard let seenAt, time > seenAt else { return .zero }
    let passed = FrameCount(time - seenAt, at: rate).rawValue
    guard isEmptied else { return FrameCount(passed) }
    return FrameCount(max(0, direction == .playback ? passed - held : passed + held))
  }
}
