#if !PointFreeDependencies
extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A clock on which nobody waits.
  public static var immediate: Self { ImmediateClock() }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// A clock that reports an issue whenever it is used.
  public static var unimplemented: Self { UnimplementedClock() }
}
#endif
