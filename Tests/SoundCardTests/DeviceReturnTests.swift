import SoundCard
import Testing

@Suite struct DeviceReturnTests {
  /// One who waits for a minute.
  private func waiting() -> DeviceReturn<Int> {
    var device = DeviceReturn<Int>()
    device.join(1, until: .seconds(60))
    return device
  }

  @Test func `a lost device is retried after 1, 2, 4, and then every 5 seconds`() {
    var device = waiting()
    var tries: [Int] = []
    var time = Duration.zero
    while tries.count < 7 {
      switch device.next(at: time) {
      case .open:
        tries.append(Int(time.components.seconds))
        device.failed(at: time)
      case .sleep(let until): time = until
      case let other:
        Issue.record("\(other)")
        return
      }
    }
    #expect(tries == [1, 2, 4, 9, 14, 19, 24])
  }

  @Test func `a change of devices triggers a retry, but not too soon after a failure`() {
    var device = waiting()
    device.changed()
    #expect(device.next(at: .milliseconds(10)) == .open)
    device.changed()
    #expect(device.next(at: .milliseconds(20)) == .sleep(until: .seconds(60)))
    device.failed(at: .milliseconds(30))
    #expect(device.next(at: .milliseconds(30)) == .sleep(until: .milliseconds(280)))
    #expect(device.next(at: .milliseconds(280)) == .open)
  }

  @Test func `a slow opening replaces the retries during it`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.failed(at: .seconds(6))
    #expect(device.next(at: .seconds(6)) == .open)
    device.failed(at: .seconds(6))
    #expect(device.next(at: .seconds(6)) == .sleep(until: .seconds(9)))
  }

  @Test func `each waiter has its own deadline, and the last one ends the wait`() {
    var device = waiting()
    device.join(2, until: .milliseconds(500))
    #expect(device.next(at: .zero) == .sleep(until: .milliseconds(500)))
    #expect(device.next(at: .milliseconds(500)) == .expire([2]))
    #expect(device.next(at: .milliseconds(500)) == .sleep(until: .seconds(1)))
    device.leave(1)
    #expect(device.next(at: .milliseconds(600)) == .over)
  }

  @Test func `a device that is back is not opened until it is lost again`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.opened()
    #expect(device.next(at: .seconds(100)) == .rest)
    device.lose()
    #expect(device.next(at: .seconds(5)) == .open)
    device.failed(at: .seconds(5))
    #expect(device.next(at: .seconds(61)) == .expire([1]))
  }

  @Test func `a loss during an opening does not open the device twice`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.lose()
    #expect(device.next(at: .seconds(10)) == .sleep(until: .seconds(60)))
  }
}
