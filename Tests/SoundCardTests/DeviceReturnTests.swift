import SoundCard
import Testing

@Suite struct DeviceReturnTests {
  /// One who waits for a minute.
  private func waiting() -> DeviceReturn<Int> {
    var device = DeviceReturn<Int>()
    device.join(1, until: .seconds(60))
    return device
  }

  @Test func `it is tried after 1, 2, 4 and then every 5 seconds`() {
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

  @Test func `it is tried when devices have changed, not too soon after it failed`() {
    var device = waiting()
    device.changed()
    #expect(device.next(at: .milliseconds(10)) == .open)
    device.changed()
    #expect(device.next(at: .milliseconds(20)) == .sleep(until: .seconds(60)))
    device.failed(at: .milliseconds(30))
    #expect(device.next(at: .milliseconds(30)) == .sleep(until: .milliseconds(280)))
    #expect(device.next(at: .milliseconds(280)) == .open)
  }

  @Test func `an opening that took long costs the tries that would have been meanwhile`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.failed(at: .seconds(6))
    #expect(device.next(at: .seconds(6)) == .open)
    device.failed(at: .seconds(6))
    #expect(device.next(at: .seconds(6)) == .sleep(until: .seconds(9)))
  }

  @Test func `everybody waits for as long as they want to, and with the last one it is over`() {
    var device = waiting()
    device.join(2, until: .milliseconds(500))
    #expect(device.next(at: .zero) == .sleep(until: .milliseconds(500)))
    #expect(device.next(at: .milliseconds(500)) == .expire([2]))
    #expect(device.next(at: .milliseconds(500)) == .sleep(until: .seconds(1)))
    device.leave(1)
    #expect(device.next(at: .milliseconds(600)) == .over)
  }

  @Test func `a device that is back is left alone, until it is lost again`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.opened()
    #expect(device.next(at: .seconds(100)) == .rest)
    device.lose()
    #expect(device.next(at: .seconds(5)) == .open)
    device.failed(at: .seconds(5))
    #expect(device.next(at: .seconds(61)) == .expire([1]))
  }

  @Test func `a loss that is told of while the device is opened opens it no second time`() {
    var device = waiting()
    #expect(device.next(at: .seconds(1)) == .open)
    device.lose()
    #expect(device.next(at: .seconds(10)) == .sleep(until: .seconds(60)))
  }
}
