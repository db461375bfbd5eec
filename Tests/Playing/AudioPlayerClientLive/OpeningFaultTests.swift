import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Devices that fail to open, or open slowly.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct OpeningFaultTests {
  private let request = PlaybackRequest(source: .buffers([staircase(4_000)]))

  @Test
  func `a busy device's error names the program that uses it; the next sound opens the device`()
    async throws
  {
    let holder = DeviceHolder(name: "mpv", processID: 42)
    let harness = PlayerHarness(faults: [.busy(holder: holder, times: 1)])
    let refused = await harness.start(request)
    let error = await #expect(throws: AudioPlayerError.self) { try await refused.value }
    #expect(error.map { "\($0)".contains("mpv (process 42)") } == true)
    #expect(harness.openDeviceCount == 0)
    try await harness.finish(await harness.start(request))
    #expect(harness.events.last?.finish?.reason == .completed)
    #expect(harness.openDeviceCount == 0)
  }

  @Test func `playing on a device that cannot be opened throws the reason`() async {
    let denied = SoundCardError.permissionDenied("virtual")
    let harness = PlayerHarness(faults: [.failing(in: .open, with: denied)])
    let refused = await harness.start(request)
    await #expect(throws: AudioPlayerError.device(nil, reason: "\(denied)")) {
      try await refused.value
    }
    #expect(harness.events.isEmpty)
  }

  @Test func `on a device that is slow to open, every frame is played`()
    async throws
  {
    let harness = PlayerHarness(faults: [.blocked(in: .open, for: .seconds(3))])
    let (playing, begun) = await harness.begin(request)
    await harness.clock.sleepers(atLeast: 1)
    await harness.clock.advance(by: .seconds(3))
    await begun.wait()
    try await harness.finish(playing)
    let isComplete = harness.played.starts(with: staircase(4_000).samples)
    #expect(isComplete)
    #expect(harness.events.last?.finish?.reason == .completed)
  }

  @Test func `a device that does not open is reported as lost after five seconds`() async {
    let harness = PlayerHarness(faults: [.blocked(in: .open)])
    let (playing, _) = await harness.begin(request)
    await harness.clock.sleepers(atLeast: 1)
    await harness.clock.advance(by: .seconds(5))
    await #expect(throws: AudioPlayerError.deviceLost("virtual")) { try await playing.value }
    while harness.openDeviceCount > 0 { await Task.yield() }
  }

  @Test func `stop and cancel end a sound at once while its device does not open`() async throws {
    for isCancelled in [false, true] {
      let harness = PlayerHarness(faults: [.blocked(in: .open)])
      let (playing, _) = await harness.begin(request)
      await harness.clock.sleepers(atLeast: 1)
      if isCancelled { playing.cancel() } else { await harness.player.stop() }
      _ = await playing.result
      await harness.player.stop()
      if !isCancelled { #expect(harness.events.last?.finish?.reason == .stopped) }
      #expect(harness.openDeviceCount == 0)
    }
  }
}
