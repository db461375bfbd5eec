#if !PointFreeDependencies
extension DependencyValues {
  /// The clock to sleep on and to measure with, which counts while the machine sleeps.
  ///
  /// In tests it is unimplemented: override it with an `ImmediateClock` or a `TestClock`.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }
}

enum ContinuousClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static var testValue: any Clock<Duration> { UnimplementedClock(name: "ContinuousClock") }
}
#endif
