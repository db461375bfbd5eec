import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(1))) struct OpenDeviceTests {
  init() throws { _ = try TestBench.ready() }

  @Test func `a device that is dropped in its sleep is not asleep when it is used again`() throws {
    let device = try OpenDevice(
      request(
        testCard("suspend_at=1 resume_again=1000000"), period: .milliseconds(500), count: 4),
      for: .capture)
    try device.start()
    try withSignals(to: device.waker) {
      while device.suspendedSince == nil { _ = try device.wait(for: .period, atMost: nil) }
    }
    device.drop()
    // A later sleep has its own five seconds.
    #expect(device.suspendedSince == nil)
    device.waker.clear()
    try device.start()
    guard case .ready = try device.wait(for: .period, atMost: nil) else {
      Issue.record("it does not run")
      return
    }
    device.close()
  }
}
