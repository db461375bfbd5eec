import SoundCard
import Testing

@Suite struct ReopeningScheduleTests {
  /// Returns a schedule with one waiter, which waits for a minute.
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
      if schedule.advance(to: time).opens {
        attempts.append(Int(time.components.seconds))
        schedule.failed(at: time)
      }
      time = try #require(schedule.nextStep)
    }
    #expect(attempts == [1, 2, 4, 9, 14, 19, 24])
  }

  @Test func `after the last waiter's deadline, no attempt to reopen begins`() {
    var schedule = oneWaiter()
    schedule.end()
    let opens = schedule.advance(to: .seconds(1)).opens
    #expect(!opens && schedule.isOver)
  }

  @Test func `a device change triggers a retry, but not too soon after a failure`() {
    var schedule = oneWaiter()
    schedule.changed()
    let first = schedule.advance(to: .milliseconds(10)).opens
    schedule.changed()
    let isEarly = schedule.advance(to: .milliseconds(20)).opens
    #expect(!isEarly && schedule.nextStep == .seconds(60))
    schedule.failed(at: .milliseconds(30))
    let isHasty = schedule.advance(to: .milliseconds(30)).opens
    #expect(!isHasty && schedule.nextStep == .milliseconds(280))
    let second = schedule.advance(to: .milliseconds(280)).opens
    #expect(first && second)
  }

  @Test func `after a slow opening, the attempts that were due meanwhile count as one`() {
    var schedule = oneWaiter()
    let first = schedule.advance(to: .seconds(1)).opens
    schedule.failed(at: .seconds(6))
    let second = schedule.advance(to: .seconds(6)).opens
    schedule.failed(at: .seconds(6))
    let third = schedule.advance(to: .seconds(6)).opens
    #expect(first && second && !third)
    #expect(schedule.nextStep == .seconds(9))
  }

  @Test func `each waiter has its own deadline, and the schedule is over once no waiter remains`() {
    var schedule = oneWaiter()
    schedule.join(2, until: .milliseconds(500))
    let early = schedule.advance(to: .zero).hasExpired
    #expect(!early && schedule.nextStep == .milliseconds(500))
    let late = schedule.advance(to: .milliseconds(500)).hasExpired
    #expect(late && schedule.nextStep == .seconds(1))
    #expect(schedule.contains(2))
    let expired = schedule.popExpired()
    #expect(expired == [2])
    #expect(!schedule.contains(2) && schedule.contains(1) && !schedule.isOver)
    schedule.leave(1)
    let opens = schedule.advance(to: .seconds(1)).opens
    #expect(schedule.isOver && !opens && schedule.nextStep == nil)
  }

  @Test func `a reopened device is not opened again until it is lost again`() {
    var schedule = oneWaiter()
    let first = schedule.advance(to: .seconds(1)).opens
    schedule.opened(at: .seconds(1))
    let whileOpen = schedule.advance(to: .seconds(100))
    #expect(!whileOpen.hasExpired && !whileOpen.opens && schedule.nextStep == nil)
    schedule.lose()
    let second = schedule.advance(to: .seconds(5)).opens
    schedule.failed(at: .seconds(5))
    let hasExpired = schedule.advance(to: .seconds(61)).hasExpired
    #expect(first && second && hasExpired)
  }

  @Test func `the device stays lost until the reopened device runs`() {
    var schedule = oneWaiter()
    _ = schedule.advance(to: .seconds(1))
    schedule.opened(at: .milliseconds(1_500))
    #expect(schedule.isDeviceLost && schedule.gap == .milliseconds(1_500))
    schedule.adopted()
    #expect(!schedule.isDeviceLost)
    schedule.lose()
    #expect(schedule.isDeviceLost)
  }

  @Test func `a loss during an attempt does not open the device twice`() {
    var schedule = oneWaiter()
    let first = schedule.advance(to: .seconds(1)).opens
    schedule.lose()
    let second = schedule.advance(to: .seconds(10)).opens
    #expect(first && !second)
    #expect(schedule.nextStep == .seconds(60))
  }
}
