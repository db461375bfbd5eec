import AudioCore
import AudioThreads
import ClientDependencies
import Glibc
import SoundCard
import Testing

@testable import VirtualSoundCard

@Suite(.timeLimit(.minutes(60))) struct VirtualDeviceTests {
  @Test func `when a device reports its loss, its card already counts as unplugged`() async throws {
    let clock = TestClock()
    for _ in 0..<500 {
      let card = VirtualSoundCard(
        pace: .clock(clock), faults: [.unplugged(at: 10, for: .seconds(3600))])
      let device = try VirtualDevice(
        .capture,
        configuration: PCMConfiguration(
          device: "virtual", format: AudioFormat(sampleRate: 1_000, channelCount: 1),
          sampleFormat: .float32, period: 10, buffer: 40),
        card: card)
      let observer = try DedicatedThread.start(name: "observer") {
        var isGone = false
        for _ in 0..<1_000_000 {
          isGone = device.with(\.isGone)
          if isGone { break }
          sched_yield()
        }
        #expect(isGone && !card.isPluggedIn)
      }
      device.with { $0.start() }
      _ = device.tick(20, at: .zero)
      await observer.join()
      device.close()
    }
    await clock.advance(by: .seconds(3_600))
  }
}
