#if !PointFreeDependencies
extension DependencyValues {
  /// The clock to sleep on and to measure with, which stands still while the machine sleeps.
  ///
  /// In tests it is unimplemented: override it with an `ImmediateClock` or a `TestClock`.
  public var suspendingClock: any Clock<Duration> {
    get { self[SuspendingClockKey.self] }
    set { self[SuspendingClockKey.self] = newValue }
  }
}

enum SuspendingClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = SuspendingClock()
  static var testValue: any Clock<Duration> { UnimplementedClock(name: "SuspendingClock") }
}
#endif
