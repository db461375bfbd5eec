import AudioCore
import AudioPlayerClient
import Foundation
import SoundCard
import Testing

/// Tests playbacks on a faulty card: their samples, their events, and how they end.
@Suite struct PlaybackFaultTests {
  let bench: EngineHarness
  /// Half a second without a silent sample.
  let sound = ramp(24_000, from: 1)

  init() throws {
    bench = try EngineHarness()
  }

  @Test(arguments: [
    "xrun_at=4800", "suspend_at=4800", "suspend_at=4800 resume_error=38",
    "suspend_at=4800 resume_again=3", "xrun_at=4800 again_in=prepare again_at=4800",
  ])
  func `a recovered failure is reported, and the sound is played to its end`(
    script: String
  ) async throws {
    let played = try await play(script)
    #expect(played.error == nil)
    #expect(played.hasXrun)
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
  }

  @Test(arguments: [
    "short=100 again_every=3", "again_in=start", "early_wakes=1", "delay=-500",
    "delay=2000000000", "delay_error=5", "stall_at=23900",
    "pointer=4611686018427387904 pointer_at=4800",
  ])
  func `if a driver returns unusual values, the playback still completes`(script: String)
    async throws
  {
    let played = try await play(script)
    #expect(played.error == nil)
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
    #expect(played.isMonotonic(upTo: .milliseconds(500)))
  }

  @Test(arguments: [
    "gone_at=4800", "hangup_at=4800", "gone_at=23900",
  ])
  func `an unplugged card is reported as lost, even while its last frames are played`(
    script: String
  ) async throws {
    let device = testCard(script)
    let played = await bench.play(sound, on: device)
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["start", "transfer", "pointer", "delay"])
  func `a hanging card is reported as lost within seconds`(call: String) async throws {
    let device = testCard("block_in=\(call) block_at=0 block_ms=600000")
    let played = await bench.play(sound, on: device)
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
  }

  @Test func `an unplugged card is reported as lost, and can play again after it returns`()
    async throws
  {
    let plug = Plug(in: bench.bench)
    let device = testCard("plugged=\(plug.path)")
    let lost = await bench.play(ramp(480_000), on: device) { _ in plug.pull() }
    #expect(lost.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    guard case .device = await bench.play(sound, on: device).error else {
      Issue.record("a card that is not there was opened")
      return
    }
    plug.putBack()
    #expect(await bench.play(sound, on: device).finish?.reason == .completed)
  }

  @Test(.timeLimit(.minutes(5)))
  func `stop returns even if the card hangs in the call that stops it`() async throws {
    let played = await bench.play(
      ramp(480_000), on: testCard("block_in=stop block_at=1 block_ms=600000")
    ) { await $0.stop() }
    #expect(played.finish?.reason == .stopped)
  }

  @Test func `a card that moves no frames is reported as lost`() async {
    let device = testCard("stall_at=4800")
    let played = await bench.play(sound, on: device)
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
  }

  @Test func `a card that stalls with a full buffer is reported as lost after five seconds`()
    async
  {
    let device = testCard("stall_at=0")
    let clock = ContinuousClock()
    let start = clock.now
    let played = await bench.play(sound, on: device)
    // There is no upper limit, because the delay depends on the machine's load.
    #expect(clock.now - start >= .seconds(5))
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(played.finish == nil)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [9_600, 22_000])
  func `a playback continues after its server pauses for seconds, even during its last frames`(
    frame: Int
  ) async throws {
    let file = bench.bench.file()
    let began = ContinuousClock.now
    let played = await bench.play(
      sound, on: testCard("pause_at=\(frame) pause_ms=2500 output=\(file.path())"))
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
    // The last frames must be played after the pause, not dropped.
    #expect(ContinuousClock.now - began >= .milliseconds(2_900))
    if !played.isStarved { #expect(try isPlayed(file, sound)) }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a playback completes even if the card would hang when it is prepared again`() async {
    let played = await bench.play(
      sound, on: testCard("block_in=prepare block_at=24000 block_ms=600000"))
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
  }

  @Test(arguments: [
    "start_error=5", "pollerr_at=4800", "start_error=2147483647",
    "pointer=-9200000000000000000 pointer_at=4800",
  ])
  func `a card that discards all written frames is reported as lost, not as completed`(
    script: String
  ) async {
    let device = testCard(script)
    let played = await bench.play(ramp(144_000, from: 1), on: device)
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(played.finish == nil)
  }

  @Test(
    arguments: [
      (480, .milliseconds(50), .fail), (480, .seconds(2), .fail), (24_000, .seconds(2), .fail),
      (48_000, .seconds(2), .fail), (48_000, .seconds(2), .wait(atMost: .seconds(1))),
      (480, .milliseconds(50), .wait(atMost: .seconds(1))),
    ] as [(Int, Duration, DeviceLossPolicy)])
  func `playing a sound shorter than the card's buffer fails if the card does not start`(
    count: Int, progressInterval: Duration, onDeviceLoss: DeviceLossPolicy
  ) async {
    let device = testCard("start_error=5")
    let played = await bench.play(
      ramp(count, from: 1), on: device, onDeviceLoss: onDeviceLoss,
      progressInterval: progressInterval)
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(played.finish == nil)
  }

  @Test(arguments: ["xrun_at=4800", "suspend_at=4800 resume_error=38", "fail=5 fail_at=4800"])
  func `queued audio that a recovery discards is reported as a dropout`(script: String) async {
    // The device buffers two seconds of audio and is first checked after a third of that time, so
    // much audio is queued when the fault is detected.
    let played = await bench.play(
      ramp(240_000, from: 1), on: testCard(script), progressInterval: .seconds(2))
    #expect(played.dropouts > .milliseconds(500), "\(played.events)")
  }

  @Test(arguments: [
    "surplus=1", "surplus=1 format=S16", "surplus=100000", "claim=4611686018427387904",
    "claim=-9200000000000000000", "claim=-2147483648",
  ])
  func `a driver that reports an impossible frame count ends the playback with an error`(
    script: String
  ) async {
    let played = await bench.play(sound, on: testCard(script))
    #expect(played.error != nil && played.finish == nil)
  }

  @Test(arguments: [("open_error=16", "in use"), ("open_error=19", "no playback device")])
  func `playing on a card that cannot be opened throws the reason`(script: String, reason: String)
    async
  {
    let played = await bench.play(sound, on: testCard(script))
    #expect(played.events.isEmpty)
    guard case .device(_, let sentence) = played.error else {
      Issue.record("\(played)")
      return
    }
    #expect(sentence.contains(reason), "\(sentence)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a hanging opening does not block the opening of another card`() async throws {
    let device = testCard("block_in=open block_ms=600000")
    async let hanging = bench.play(sound, on: device)
    let played = await bench.play(sound, on: testCard("speed=4"))
    #expect(played.finish?.reason == .completed)
    #expect(await hanging.error == .deviceLost(AudioDevice.ID(rawValue: device)))
  }

  /// Plays the sound and compares it with the samples that the card received.
  private func play(_ script: String) async throws -> EngineHarness.Played {
    let file = bench.bench.file()
    let played = await bench.play(sound, on: testCard("\(script) output=\(file.path())"))
    // If a busy machine decodes too slowly, the sound fades to silence, so the samples are not
    // compared.
    if !played.isStarved { #expect(try isPlayed(file, sound), "\(script)") }
    return played
  }
}
