import SoundCard
import Testing

@Suite struct ReopeningScheduleTests {
  /// A schedule with one waiter for a minute.
  private func oneWaiter() -> ReopeningSchedule {
    var schedule = ReopeningSchedule()
    schedule.join(1, until: .seconds(60))
    return schedule
  }

  @Test func `a lost device is retried after 1, 2, 4, and then every 5 seconds`() {
    var schedule = oneWaiter()
    var attempts: [Int] = []
    var time = Duration.zero
    while attempts.count < 7 {
      switch schedule.next(at: time) {
      case .open:
        attempts.append(Int(time.components.seconds))
        schedule.failed(at: time)
      case .sleep(let until): time = until
      case let other:
        Issue.record("\(other)")
        return
      }
    }
    #expect(attempts == [1, 2, 4, 9, 14, 19, 24])
  }

  @Test func `a device change triggers a retry, but not too soon after a failure`() {
    var schedule = oneWaiter()
    schedule.changed()
    #expect(schedule.next(at: .milliseconds(10)) == .open)
    schedule.changed()
    #expect(schedule.next(at: .milliseconds(20)) == .sleep(until: .seconds(60)))
    schedule.failed(at: .milliseconds(30))
    #expect(schedule.next(at: .milliseconds(30)) == .sleep(until: .milliseconds(280)))
    #expect(schedule.next(at: .milliseconds(280)) == .open)
  }

  @Test func `a slow opening replaces the reattempts during it`() {
    var schedule = oneWaiter()
    #expect(schedule.next(at: .seconds(1)) == .open)
    schedule.failed(at: .seconds(6))
    #expect(schedule.next(at: .seconds(6)) == .open)
    schedule.failed(at: .seconds(6))
    #expect(schedule.next(at: .seconds(6)) == .sleep(until: .seconds(9)))
  }

  @Test func `each waiter has its own deadline, and the last one ends the wait`() {
    var schedule = oneWaiter()
    schedule.join(2, until: .milliseconds(500))
    #expect(schedule.next(at: .zero) == .sleep(until: .milliseconds(500)))
    #expect(schedule.next(at: .milliseconds(500)) == .expire([2]))
    #expect(schedule.next(at: .milliseconds(500)) == .sleep(until: .seconds(1)))
    schedule.leave(1)
    #expect(schedule.next(at: .milliseconds(600)) == .over)
  }

  @Test func `a reopened device is not opened until it is lost again`() {
    var schedule = oneWaiter()
    #expect(schedule.next(at: .seconds(1)) == .open)
    schedule.opened()
    #expect(schedule.next(at: .seconds(100)) == .rest)
    schedule.lose()
    #expect(schedule.next(at: .seconds(5)) == .open)
    schedule.failed(at: .seconds(5))
    #expect(schedule.next(at: .seconds(61)) == .expire([1]))
  }

  @Test func `a loss during an attempt does not open the device twice`() {
    var schedule = oneWaiter()
    #expect(schedule.next(at: .seconds(1)) == .open)
    schedule.lose()
    #expect(schedule.next(at: .seconds(10)) == .sleep(until: .seconds(60)))
  }
}
