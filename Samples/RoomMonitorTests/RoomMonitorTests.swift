import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import RoomMonitor
import SoundCard
import SyrinxTestSupport
import Testing

/// The feature on the real engine, above a sound card that does what the test says,
/// when it says so.
@MainActor @Suite struct RoomMonitorTests {
  let clock = TestClock()

  @Test
  func `noise is an alarm, a hole in the sound is not, and the plug is missed when it is pulled`()
    async throws
  {
    // A second of silence, half a second of noise, and so on.
    let room = AudioSignal { frame, rate in
      frame / (rate.hertz / 2) % 3 == 2 ? (frame % 2 == 0 ? 0.5 : -0.5) : 0
    }
    let card = VirtualSoundCard(
      .init(
        pace: .lockstep(clock), microphone: .signal(room),
        faults: [.xrun(at: 24_000, lost: 4_800), .unplugged(at: 192_000)]))
    let monitor = try await withDependencies {
      $0.soundCard = card.soundCard
      $0.audioRecorder = .liveValue
    } operation: {
      let monitor = RoomMonitor()
      let listening = Task { try await monitor.listen() }
      // Five seconds of the card's time, and no more of ours than the machine needs.
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(5))
      try await listening.value
      return monitor
    }
    #expect(monitor.alarms == 2)
    #expect(monitor.deafness == .milliseconds(100))
    #expect(monitor.microphone == .lost)
    #expect(card.openDeviceCount == 0)
  }
}
