import ListeningFeatures
import Syrinx
import SyrinxTestSupport
import Testing

/// Tests the feature on the real engine, with a sound card that follows the test's clock and
/// script.
@MainActor @Suite struct RoomMonitorTests {
  let clock = TestClock()

  @Test
  func `noise raises an alarm, a gap does not, and an unplugged microphone is reported as lost`()
    async throws
  {
    // A second of silence, half a second of noise, and so on.
    let room = AudioSignal { frame, rate in
      frame / (rate.hertz / 2) % 3 == 2 ? (frame % 2 == 0 ? 0.5 : -0.5) : 0
    }
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: .signal(room),
      faults: [.xrun(at: 24_000, lost: 4_800), .unplugged(at: 192_000)])
    let monitor = try await withDependencies {
      $0.soundCard = card.soundCard
      $0.audioRecorder = .liveValue
    } operation: {
      let monitor = RoomMonitor()
      let listening = Task { try await monitor.listen() }
      // Once the card waits for the clock, advances both by five seconds, which take no real time.
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(5))
      try await listening.value
      return monitor
    }
    #expect(monitor.alarms == 2)
    #expect(monitor.lostTime == .milliseconds(100))
    #expect(monitor.microphone == .lost)
    #expect(card.openDeviceCount == 0)
  }
}
