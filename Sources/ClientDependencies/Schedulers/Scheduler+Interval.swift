#if !PointFreeDependencies
extension Scheduler {
  /// Whether work can be repeated in an interval; if not, because the next turn would never be
  /// later than the last one, it is reported.
  func canRepeat(every interval: SchedulerTimeType.Stride) -> Bool {
    if interval > .zero { return true }
    reportIssue(
      """
      Work was to be repeated on '\(Self.self)' in an interval of \(interval), and was not scheduled: \
      an interval must be longer than zero.
      """)
    return false
  }
}
#endif
