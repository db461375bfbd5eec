import SoundCard
import Testing

@Suite struct ReopeningScheduleTests {
  /// A schedule with one waiter for a minute.
  private func oneWaiter() -> ReopeningSchedule {
    var schedule = ReopeningSchedule()
    schedule.join(1, until: .seconds(60))
    return schedule
  }

  @Test func `a lost device is retried after 1, 2, 4, and then every 5 seconds`() throws {
    var schedule = oneWaiter()
    var attempts: [Int] = []
    var time = Duration.zero
    while attempts.count < 7 {
      if schedule.tryBeginOpening(at: time) {
        attempts.append(Int(time.components.seconds))
        schedule.failed(at: time)
      }
      time = try #require(schedule.nextStep)
    }
    #expect(attempts == [1, 2, 4, 9, 14, 19, 24])
  }

  @Test func `a device change triggers a retry, but not too soon after a failure`() {
    var schedule = oneWaiter()
    schedule.changed()
    let first = schedule.tryBeginOpening(at: .milliseconds(10))
    schedule.changed()
    let isEarly = schedule.tryBeginOpening(at: .milliseconds(20))
    #expect(!isEarly && schedule.nextStep == .seconds(60))
    schedule.failed(at: .milliseconds(30))
    let isHasty = schedule.tryBeginOpening(at: .milliseconds(30))
    #expect(!isHasty && schedule.nextStep == .milliseconds(280))
    let second = schedule.tryBeginOpening(at: .milliseconds(280))
    #expect(first && second)
  }

  @Test func `a slow opening replaces the reattempts during it`() {
    var schedule = oneWaiter()
    let first = schedule.tryBeginOpening(at: .seconds(1))
    schedule.failed(at: .seconds(6))
    let second = schedule.tryBeginOpening(at: .seconds(6))
    schedule.failed(at: .seconds(6))
    let third = schedule.tryBeginOpening(at: .seconds(6))
    #expect(first && second && !third)
    #expect(schedule.nextStep == .seconds(9))
  }

  @Test func `each waiter has its own deadline, and the last one ends the wait`() {
    var schedule = oneWaiter()
    schedule.join(2, until: .milliseconds(500))
    let early = schedule.expire(at: .zero)
    #expect(!early && schedule.nextStep == .milliseconds(500))
    let late = schedule.expire(at: .milliseconds(500))
    #expect(late && schedule.nextStep == .seconds(1))
    #expect(schedule.contains(2))
    let expired = schedule.popExpired()
    #expect(expired == [2])
    #expect(!schedule.contains(2) && schedule.contains(1) && !schedule.isOver)
    schedule.leave(1)
    #expect(schedule.isOver && schedule.nextStep == nil)
  }

  @Test func `a reopened device is not opened until it is lost again`() {
    var schedule = oneWaiter()
    let first = schedule.tryBeginOpening(at: .seconds(1))
    schedule.opened()
    let hasExpiredOpen = schedule.expire(at: .seconds(100))
    let opensAgain = schedule.tryBeginOpening(at: .seconds(100))
    #expect(!hasExpiredOpen && !opensAgain && schedule.nextStep == nil)
    schedule.lose()
    let second = schedule.tryBeginOpening(at: .seconds(5))
    schedule.failed(at: .seconds(5))
    let hasExpired = schedule.expire(at: .seconds(61))
    #expect(first && second && hasExpired)
  }

  @Test func `a loss during an attempt does not open the device twice`() {
    var schedule = oneWaiter()
    let first = schedule.tryBeginOpening(at: .seconds(1))
    schedule.lose()
    let second = schedule.tryBeginOpening(at: .seconds(10))
    #expect(first && !second)
    #expect(schedule.nextStep == .seconds(60))
  }
}
