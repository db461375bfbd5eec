import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Devices with short or refused writes and false delays: every frame is played once and in time.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct MisreportingDeviceTests {
  private let sound = staircase(4_000)
  private let completed = PlaybackFinish(reason: .completed, played: .milliseconds(500))
  /// 500 ms of sound, the buffer of four periods, the grace period of 250 ms, and the period in
  /// which the end is detected.
  private let longest = Duration.milliseconds(500 + 100 + 250 + 25)

  @Test(arguments: [
    [VirtualFault.shortTransfers(atMost: 70)], [.refusedTransfers(every: 2)],
    [.shortTransfers(atMost: 150), .refusedTransfers(every: 3)],
    [.claimedDelay(0)], [.claimedDelay(-500)], [.claimedDelay(nil)],
    [.claimedDelay(nil, at: 1_600)], [.claimedDelay(800)], [.claimedDelay(12_800)],
    [.claimedDelay(2_000_000_000)], [.claimedDelay(-2_000_000_000, at: 3_000)],
  ])
  func `a device with short writes or false delays plays every frame and ends in time`(
    faults: [VirtualFault]
  ) async throws {
    let harness = PlayerHarness(faults: faults)
    let playing = await harness.start(PlaybackRequest(source: .buffers([sound])))
    await harness.clock.advance(by: longest)
    try await playing.value
    let isComplete = harness.played.starts(with: sound.samples)
    #expect(isComplete)
    #expect(harness.events.last?.finish == completed)
    let played = harness.events.compactMap(\.progress).map(\.played)
    #expect(played == played.sorted())
    let troubles = harness.events.count { if case .xrun = $0 { true } else { false } }
    #expect(troubles == 0)
    #expect(harness.openDeviceCount == 0)
  }

  @Test
  func `a device that cannot report its delay is an error that names the device and the reason`()
    async throws
  {
    let failure = SoundCardError.failed(
      "virtual", operation: "delay", code: 5, reason: "Input/output error")
    let harness = PlayerHarness(faults: [.failing(in: .delay, with: failure, at: 1_600)])
    let playing = await harness.start(PlaybackRequest(source: .buffers([sound])))
    await harness.clock.advance(by: longest)
    await #expect(throws: AudioPlayerError.device("virtual", reason: "\(failure)")) {
      try await playing.value
    }
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `a device that refuses every write is reported as lost`() async throws {
    let harness = PlayerHarness(faults: [.refusedTransfers(every: 1)])
    let playing = await harness.start(PlaybackRequest(source: .buffers([sound])))
    await harness.clock.advance(by: .seconds(10))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while harness.openDeviceCount > 0 { await Task.yield() }
  }
}
