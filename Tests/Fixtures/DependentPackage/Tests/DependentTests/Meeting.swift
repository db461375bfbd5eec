/// Lets a test that does something wrong and an innocent one run at the same time.
actor Meeting {
  private var guests = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Returns when both have come.
  func meet() async {
    guests += 1
    if guests.isMultiple(of: 2) {
      for guest in waiting { guest.resume() }
      waiting = []
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Does something while the other test runs.
  func whileTheOtherRuns(_ body: () async -> Void) async {
    await meet()
    await body()
    await meet()
  }
}
