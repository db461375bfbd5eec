import AudioCore
import AudioThreads
import ClientDependencies
import Synchronization
import Testing

@testable import SoundCard

@Suite(.timeLimit(.minutes(5))) struct DeviceReopenerTests {
  /// A device that can be connected, and that counts how often it is opened and closed.
  private final class FakeDevice: Sendable {
    struct State {
      var isConnected = false
      var opened = 0
      var closed = 0
      var attempts = 0
    }
    struct Away: Error {}
    let state = Mutex(State())
    let clock = TestClock<Duration>()
    let notifications: AsyncStream<Void>
    private let notification: AsyncStream<Void>.Continuation
    private let changes = AsyncStream.makeStream(of: Void.self)
    /// Every opening waits for this gate.
    private let openingGate: Gate?
    /// Opens when the reopener attempts to open the device.
    let isOpening = Gate()
    /// Opens when the stream of changes is terminated.
    let isUnobserved = Gate()
    /// Opens when a device is closed.
    let closed = Gate()

    init(behind openingGate: Gate? = nil) {
      self.openingGate = openingGate
      (notifications, notification) = AsyncStream.makeStream()
      changes.continuation.onTermination = { [isUnobserved] _ in isUnobserved.open() }
    }

    /// Returns a reopener with one waiter, which waits for a minute.
    func reopener() -> DeviceReopener<Int> {
      let reopener = DeviceReopener<Int>(
        after: .deviceLost("test"),
        open: { [self] in
          isOpening.open()
          await openingGate?.wait()
          return try state.withLock { state in
            state.attempts += 1
            guard state.isConnected else { throw Away() }
            state.opened += 1
            return state.opened
          }
        },
        close: { [self] _ in
          state.withLock { $0.closed += 1 }
          closed.open()
        },
        changes: { [self] in changes.stream },
        clock: clock
      ) { [notification] in notification.yield() }
      reopener.join(1, atMost: .seconds(60))
      reopener.start()
      return reopener
    }

    func reconnect() {
      state.withLock { $0.isConnected = true }
      changes.continuation.yield()
    }
  }

  @Test func `after a device change, popDevice returns the reopened device once`() async {
    let device = FakeDevice()
    let reopener = device.reopener()
    await device.clock.sleepers(atLeast: 1)
    await device.clock.advance(by: .milliseconds(700))
    device.reconnect()
    var notifications = device.notifications.makeAsyncIterator()
    await notifications.next()
    let back = reopener.popDevice()
    #expect(back == 1 && reopener.gap == .milliseconds(700))
    let again = reopener.popDevice()
    #expect(again == nil)
    // The device counts as lost until the reopened device runs.
    #expect(reopener.isDeviceLost)
    reopener.adopted()
    #expect(!reopener.isDeviceLost)
    reopener.end()
    #expect(device.state.withLock { $0.closed } == 0)
  }

  @Test
  func `popExpired returns an expired waiter once, and reopening ends when the last waiter leaves`()
    async
  {
    let device = FakeDevice()
    let reopener = device.reopener()
    reopener.join(2, atMost: .seconds(3))
    await device.clock.sleepers(atLeast: 1)
    await device.clock.advance(by: .seconds(3))
    var notifications = device.notifications.makeAsyncIterator()
    await notifications.next()
    let expired = reopener.popExpired()
    let again = reopener.popExpired()
    #expect(expired == [2] && again.isEmpty)
    #expect(!reopener.isOver)
    reopener.leave(1)
    await notifications.next()
    #expect(reopener.isOver)
    reopener.end()
  }

  @Test func `when the reopener ends, a reopened device that is not used is closed`() async {
    let device = FakeDevice()
    let reopener = device.reopener()
    device.reconnect()
    var notifications = device.notifications.makeAsyncIterator()
    await notifications.next()
    reopener.end()
    #expect(device.state.withLock { $0.closed } == 1)
    let late = reopener.popDevice()
    #expect(late == nil)
  }

  @Test func `a device that opens after the reopener has ended is closed`() async {
    let openingGate = Gate()
    let device = FakeDevice(behind: openingGate)
    let reopener = device.reopener()
    device.reconnect()
    await device.isOpening.wait()
    reopener.end()
    openingGate.open()
    await device.closed.wait()
    let late = reopener.popDevice()
    #expect(late == nil)
  }

  @Test func `a device that does not open is retried`() async {
    let device = FakeDevice()
    let reopener = device.reopener()
    for seconds in [1, 1, 2] {
      await device.clock.sleepers(atLeast: 1)
      await device.clock.advance(by: .seconds(seconds))
    }
    await device.clock.sleepers(atLeast: 1)
    #expect(device.state.withLock { $0.attempts } == 3)
    reopener.end()
  }

  @Test func `when the reopener ends, the observer of device changes is removed`() async {
    let device = FakeDevice()
    let reopener = device.reopener()
    await device.clock.sleepers(atLeast: 1)
    reopener.end()
    await device.isUnobserved.wait()
  }
}
