import AudioCore
import Glibc

/// An estimate of what a playback device has still to play, in frames and in time.
///
/// Plug-ins report negative and absurd delays, and errors at the start. Devices that take frames faster
/// than they could play them (`null`, `file`) never hold any.
struct DelayEstimate {
  /// The meaning of the code of `snd_pcm_delay`.
  enum Answer: Equatable {
    case frames
    /// The device has run dry: everything written has been played.
    case dry
    case unknown
    case lost

    /// - Parameter code: 0, or a negative errno value.
    init(_ code: Int32, isDisconnected: Bool) {
      self =
        switch -code {
        case _ where isDisconnected: .lost
        case ENODEV, ENXIO: .lost
        case EPIPE: .dry
        case 1...: .unknown
        default: .frames
        }
    }
  }

  /// A delay of more device buffers is not a server's latency but nonsense.
  private static let mostBuffers = 16

  private let buffer: FrameCount
  private let rate: SampleRate
  private var last: FrameCount = 0
  /// When the device will have played everything written; nil if it is empty.
  private var dryAt: MonotonicTime?

  init(buffer: FrameCount, rate: SampleRate) {
    (self.buffer, self.rate) = (buffer, rate)
  }

  /// Returns the delay in frames, 0…16 buffers: a sound server holds frames beyond the device's buffer.
  ///
  /// - Parameters:
  ///   - reported: the delay that the device reports, nil if it reports an error.
  ///   - held: the frames in its buffer by its write position, nil if unknown; evaluated only if the
  ///     reported delay is not plausible.
  mutating func delay(reported: Int?, held: @autoclosure () -> Int?) -> FrameCount {
    if let reported, reported <= buffer.rawValue * Self.mostBuffers {
      last = FrameCount(max(0, reported))
    } else if let held = held() {
      last = FrameCount(max(0, min(held, buffer.rawValue)))
    }
    return last
  }

  /// Notes that frames were written at `time`.
  mutating func wrote(_ frames: FrameCount, at time: MonotonicTime) {
    let from = dryAt.map { max($0, time) } ?? time
    dryAt = from + frames.duration(at: rate)
  }

  /// Returns how long the device can continue without another frame.
  ///
  /// That is what it holds at `time`. For a device that holds nothing it is the rest of the time that
  /// the frames would have lasted, so that an engine whose source is late waits instead of inserting
  /// silence.
  mutating func timeUntilDry(held: FrameCount, at time: MonotonicTime) -> Duration {
    if held > .zero { dryAt = time + held.duration(at: rate) }
    guard let dryAt else { return .zero }
    return max(.zero, dryAt - time)
  }

  /// Notes that the device was emptied.
  mutating func emptied() {
    dryAt = nil
  }
}
