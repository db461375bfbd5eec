import AudioCore
import Glibc

/// An estimate of the audio that a playback device has not yet played, in frames and in time.
///
/// Plug-ins report negative and absurd delays, and errors at the start. Devices that take frames
/// faster than real time (`null`, `file`) never hold any.
struct DelayEstimate {
  /// The meaning of the code of `snd_pcm_delay`.
  enum Answer: Equatable {
    case frames
    /// The device has underrun: all written frames have been played.
    case underrun
    case unknown
    case lost

    /// - Parameter code: 0, or a negative errno value.
    init(_ code: Int32, isDisconnected: Bool) {
      self =
        switch -code {
        case _ where isDisconnected: .lost
        case ENODEV, ENXIO: .lost
        case EPIPE: .underrun
        case 1...: .unknown
        default: .frames
        }
    }
  }

  /// A delay of more device buffers is implausible as server latency.
  private static let maximumBuffers = 16

  private let buffer: FrameCount
  private let rate: SampleRate
  private var last: FrameCount = 0
  /// The time at which the device has played all frames; nil if it is empty.
  private var underrunTime: SuspendingClock.Instant?

  init(buffer: FrameCount, rate: SampleRate) {
    (self.buffer, self.rate) = (buffer, rate)
  }

  /// Returns the delay in frames, 0 to 16 buffers: a sound server holds frames beyond the device's
  /// buffer.
  ///
  /// - Parameters:
  ///   - reported: the reported delay, or nil after an error.
  ///   - held: the frames in the buffer by its write position, or nil if unknown; evaluated only
  ///     if the reported delay is implausible.
  mutating func delay(reported: Int?, held: @autoclosure () -> Int?) -> FrameCount {
    if let reported, reported <= buffer.rawValue * Self.maximumBuffers {
      last = FrameCount(max(0, reported))
    } else if let held = held() {
      last = FrameCount(max(0, min(held, buffer.rawValue)))
    }
    return last
  }

  /// Records frames written at `time`.
  mutating func wrote(_ frames: FrameCount, at time: SuspendingClock.Instant) {
    let from = underrunTime.map { max($0, time) } ?? time
    underrunTime = from + frames.duration(at: rate)
  }

  /// Returns how long the device can continue without further frames.
  ///
  /// For a device that holds no frames, it is the rest of the written frames' duration, so that an
  /// engine with a late source waits instead of inserting silence.
  mutating func timeUntilUnderrun(held: FrameCount, at time: SuspendingClock.Instant) -> Duration {
    if held > .zero { underrunTime = time + held.duration(at: rate) }
    guard let underrunTime else { return .zero }
    return max(.zero, underrunTime - time)
  }

  /// Records that the device was emptied.
  mutating func emptied() {
    underrunTime = nil
  }
}
