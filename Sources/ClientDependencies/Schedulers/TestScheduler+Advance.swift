#if !PointFreeDependencies
extension TestScheduler {
  /// Moves the time on and runs, each at its time, all work that is due until then.
  ///
  /// - Parameter duration: by how much; nothing runs what is due now.
  public func advance(by duration: SchedulerTimeType.Stride = .zero) {
    advance(to: now.advanced(by: duration))
  }

  /// Moves the time to `instant` and runs, each at its time, all work that is due until then.
  public func advance(to instant: SchedulerTimeType) {
    while runNext(until: instant) {}
  }

  /// Runs all work, until none waits; work that repeats for ever runs for ever.
  public func run() {
    while let date = nextDate { advance(to: date) }
  }

  /// Moves the time on on the main actor, and lets other tasks run before each piece of work.
  ///
  /// - Parameter duration: by how much; nothing runs what is due now.
  @MainActor
  public func advance(by duration: SchedulerTimeType.Stride = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Moves the time on on the main actor, and lets other tasks run before each piece of work.
  @MainActor
  public func advance(to instant: SchedulerTimeType) async {
    repeat { await Task.megaYield() } while runNext(until: instant)
  }

  /// Runs all work on the main actor, until none waits.
  ///
  /// - Parameter timeout: the real time after which it gives up with a reported issue, because work
  ///   repeats for ever.
  @MainActor
  public func run(
    timeout: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let end = ContinuousClock.now + timeout
    await Task.megaYield()
    while let date = nextDate {
      await advance(to: date)
      guard ContinuousClock.now < end else {
        reportIssue(
          "Work still waits on the scheduler after \(timeout): 'run' is for work that ends.",
          fileID: fileID, filePath: filePath, line: line, column: column)
        return
      }
    }
  }
}
#endif
