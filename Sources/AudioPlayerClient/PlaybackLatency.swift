/// How far ahead of the loudspeaker a device is kept supplied.
public enum PlaybackLatency: String, Hashable, Sendable {
  /// 100 ms: a machine that is busy does no harm, and sleeps more.
  case normal
  /// 15 ms: what is to be heard now is heard at once.
  case low
}
