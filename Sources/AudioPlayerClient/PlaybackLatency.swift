/// The amount of audio buffered in the device.
public enum PlaybackLatency: String, Hashable, Sendable {
  /// 100 ms, or up to 2 s if progress is seldom reported: tolerates a busy machine and saves wake-ups.
  case normal
  /// 15 ms: new sounds are played almost at once.
  case low
}
