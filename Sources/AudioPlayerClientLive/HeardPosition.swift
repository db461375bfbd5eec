/// How much of what was written has been heard: written less delay, within bounds and never going
/// back.
struct HeardPosition: Equatable {
  /// Frames written to the device.
  private(set) var written = 0
  /// Frames that have left the loudspeaker.
  private(set) var heard = 0

  mutating func write(_ frames: Int) {
    written += frames
  }

  /// Takes a look at the device's delay, in frames, which may be anything.
  mutating func observe(delay: Int) {
    heard = max(heard, min(written, written - delay))
  }

  /// The device is gone with what was not heard; the last `frames` of it are to be written again.
  mutating func lose(keeping frames: Int) {
    written -= frames
    heard = written
  }

  /// Everything written counts as heard: the device has run dry, or will not say.
  mutating func finish() {
    heard = written
  }
}
