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

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Takes note of a block that the device gave.
  mutating func heard(_ captured: DeviceAudio) {
    let lost = captured.lost.duration(at: captured.buffer.format.sampleRate)
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

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
