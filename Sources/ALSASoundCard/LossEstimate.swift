import AudioCore
import SoundCard

/// An estimate of the frames lost in an interruption, by the clock.
///
/// It uses the last observed buffer level and the time since then, including a suspend.
struct LossEstimate {
  private let direction: AudioDevice.Direction
  private let rate: SampleRate
  private var held = 0
  private var seenAt: BootTime?

  init(direction: AudioDevice.Direction, rate: SampleRate) {
    self.direction = direction
    self.rate = rate
  }

  /// Records the buffer level of the running device: frames not yet played, or not yet read.
  mutating func observe(held: Int, at time: BootTime) {
    self.held = held
    seenAt = time
  }

  /// Records frames written or read since the last observation.
  mutating func transferred(_ frames: Int) {
    held += direction == .playback ? frames : -frames
  }

  /// Records that the device starts at `time` with its buffer.
  mutating func restarted(at time: BootTime) {
    seenAt = time
  }

  /// Records that the device stopped.
  mutating func stopped() {
    held = 0
    seenAt = nil
  }

  /// The frames of silence played, or of audio not captured, if the device continues at `time`.
  ///
  /// - Parameter isEmptied: whether the device lost its buffer.
  func lost(at time: BootTime, isEmptied: Bool = true) -> FrameCount {
    guard let seenAt, time > seenAt else { return .zero }
    let passed = FrameCount(time - seenAt, at: rate).rawValue
    guard isEmptied else { return FrameCount(passed) }
    return FrameCount(max(0, direction == .playback ? passed - held : passed + held))
  }
}
