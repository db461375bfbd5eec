import AudioCore

/// When the frames that come out of a converter were captured, since the capture began.
///
/// The device's clock is asked at the beginning and after each gap; from there on the frames count,
/// because a converter holds frames back and the moment of a wake-up says little.
struct CaptureTimes {
  private let rate: SampleRate
  /// The device's time when the capture began.
  private var began: Duration?
  private var start = Duration.zero
  private var framesSinceStart: FrameCount = 0
  /// The place on the time-line of frames and the device's time of the block that came last.
  private var last = (place: Duration.zero, time: Duration.zero)

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Takes note of a block that the device gave.
  mutating func heard(_ captured: DeviceAudio) {
    let lost = captured.lost.duration(at: captured.buffer.format.sampleRate)
    let place = captured.buffer.firstFrame.duration(at: captured.buffer.format.sampleRate)
    last = (place, captured.time)
    if began == nil { began = captured.time - lost }
    guard captured.lost > 0, let began else { return }
    // Time never goes back, also where the guess of what was lost was too low.
    start = max(next, captured.time - began)
    framesSinceStart = 0
  }

  /// The time of the first of so many frames.
  mutating func take(_ frames: FrameCount) -> Duration {
    defer { framesSinceStart += frames }
    return next
  }

  /// When this frame was captured, in the device's time.
  func capturedAt(_ frame: FrameCount) -> Duration {
    max(.zero, last.time + frame.duration(at: rate) - last.place)
  }

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
