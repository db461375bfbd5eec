/// Makes a test with an error and a test without errors run at the same time.
actor Meeting {
  private var guests = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Returns when both tests have called it.
  func meet() async {
    guests += 1
    if guests.isMultiple(of: 2) {
      for guest in waiting { guest.resume() }
      waiting = []
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Runs the body while the other test runs.
  func whileTheOtherRuns(_ body: () async -> Void) async {
    await meet()
    await body()
    await meet()
  }
}
