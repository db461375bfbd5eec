import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Tests a capture that waits without reading, as with a slow consumer.
@Suite(.timeLimit(.minutes(5))) struct CaptureRestTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 1)

  @Test
  func `with a lockstep clock, the card's time continues while a capture waits without reading`()
    async throws
  {
    let clock = TestClock()
    let pcm = try await open(.lockstep(clock))
    let rest = halfBuffer(of: pcm)
    let reader = try DedicatedThread.start(name: "reader") {
      // If a wait throws, the loop ends; the expectation below checks the card's time.
      while pcm.elapsed < rest,
        (try? pcm.wait(for: .nothing, atMost: rest - pcm.elapsed)) != nil
      {}
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: rest)
    await reader.join()
    #expect(pcm.elapsed == rest)
    pcm.close()
  }

  @Test(arguments: [nil, .milliseconds(50)] as [Duration?])
  func `a late lockstep card catches up, or skips the delay if the delay exceeds the slack`(
    slack: Duration?
  ) async throws {
    let clock = TestClock()
    let pcm = try await open(.lockstep(clock, slack: slack))
    let period = pcm.configuration.period.duration(at: format.sampleRate)
    // The card's first step waits for the engine while five periods pass. Then the card takes all
    // five steps at once, or with `slack` only two.
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: period * 5)
    let reader = try DedicatedThread.start(name: "reader") {
      while pcm.elapsed < period * 8,
        (try? pcm.wait(for: .nothing, atMost: period)) != nil
      {}
    }
    await clock.sleepers(atLeast: 1)
    #expect(pcm.elapsed == period * (slack == nil ? 5 : 2))
    while pcm.elapsed < period * 8 {
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: period)
    }
    await reader.join()
    pcm.close()
  }

  @Test func `on an untimed card, time advances by the duration that a capture waits`() async throws
  {
    let pcm = try await open(.untimed)
    let rest = halfBuffer(of: pcm)
    #expect(try pcm.wait(for: .nothing, atMost: rest) == .timedOut)
    #expect(pcm.elapsed == rest)
    pcm.close()
  }

  @Test func `drop() discards the unread frames of a capture`() async throws {
    let pcm = try await open(.untimed)
    #expect(try pcm.wait(for: .nothing, atMost: halfBuffer(of: pcm)) == .timedOut)
    #expect(try pcm.wait(for: .period, atMost: .zero) != .timedOut)
    try pcm.drop()
    #expect(try pcm.wait(for: .period, atMost: .zero) == .timedOut)
    pcm.close()
  }

  private func open(_ pace: VirtualPace) async throws -> any CapturePCM {
    let card = VirtualSoundCard(pace: pace)
    let pcm = try await card.soundCard.openCapture(request: PCMRequest(format: format))
    try pcm.start()
    return pcm
  }

  private func halfBuffer(of pcm: any CapturePCM) -> Duration {
    pcm.configuration.buffer.duration(at: format.sampleRate) / 2
  }
}
