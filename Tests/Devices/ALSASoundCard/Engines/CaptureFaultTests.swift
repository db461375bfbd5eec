import AudioCore
import AudioRecorderClient
import SoundCard
import Testing

/// Tests recordings from a faulty card: their files, their events, and how they end.
@Suite struct CaptureFaultTests {
  let bench: EngineHarness

  init() throws {
    bench = try EngineHarness()
  }

  @Test(arguments: [
    "xrun_at=9600", "suspend_at=9600", "suspend_at=9600 resume_error=38",
    "suspend_at=9600 resume_again=3", "xrun_at=9600 again_in=prepare again_at=9600",
    "xrun_at=9600 again_in=start again_at=9600 again_times=5",
  ])
  func `a recovered failure is reported, and silence keeps the file's timeline correct`(
    script: String
  ) async throws {
    let recorded = try await bench.record(.milliseconds(600), from: testCard(script))
    #expect(recorded.error == nil)
    #expect(recorded.finish?.reason == .lengthReached)
    #expect(recorded.samples.count == 28_800)
    #expect(recorded.lost > .zero)
    // A busy machine may lose frames several times; the file then holds several gaps.
    let gaps = recorded.events.filter { if case .xrun = $0 { true } else { false } }
    guard gaps.count == 1 else { return }
    try check(recorded.samples, lost: FrameCount(recorded.lost, at: 48_000).rawValue)
  }

  /// Checks that the file contains the ramp up to the gap, silence for the lost frames, and then
  /// the ramp from the position that matches the elapsed time.
  private func check(_ samples: [Float], lost: Int) throws {
    let captured = samples.dropFirst().firstIndex(of: 0) ?? samples.count
    let isWhole = samples[..<captured].elementsEqual(ramp(captured))
    #expect(isWhole)
    let zeros = samples[captured...].prefix { $0 == 0 }.count
    let after = samples[(captured + zeros)...]
    // On a busy machine, the gap may reach the end of the recording, so no frame follows it.
    guard let first = after.first else { return #expect(zeros <= lost) }
    #expect(abs(zeros - lost) <= 2, "\(zeros) frames of silence for \(lost)")
    let index = Int(first * 32_768)
    let isContinuous = after.elementsEqual(ramp(after.count, from: index))
    #expect(isContinuous)
    // The difference may be up to 0.1 s, because the two clocks are not read at the same time, and
    // a busy machine may pause in between.
    #expect(abs(index - (captured + zeros)) < 4_800, "\(index) at \(captured + zeros)")
  }

  @Test(arguments: [
    "short=240 again_every=3", "again_in=start", "early_wakes=1",
    "pointer=4611686018427387904 pointer_at=9600",
  ])
  func `if a driver returns unusual values, no frame is lost`(script: String) async throws {
    let recorded = try await bench.record(.milliseconds(400), from: testCard(script))
    #expect(recorded.error == nil)
    #expect(recorded.samples.count == 19_200)
    if recorded.lost == .zero { #expect(recorded.samples.missingInRamp.isEmpty) }
  }

  @Test(arguments: ["gone_at=9600", "hangup_at=9600"])
  func `an unplugged card is reported as lost, and the file contains the captured audio`(
    script: String
  ) async throws {
    let device = testCard(script)
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.count >= 2_400)
    if recorded.lost == .zero { #expect(recorded.samples.missingInRamp.isEmpty) }
  }

  @Test func `an unplugged card is reported as lost, and can record again after it returns`()
    async throws
  {
    let plug = Plug(in: bench.bench)
    let device = testCard("plugged=\(plug.path)")
    let lost = try await bench.record(nil, from: device) { _ in plug.pull() }
    #expect(lost.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    plug.putBack()
    let again = try await bench.record(.milliseconds(200), from: device)
    #expect(again.samples.count == 9_600)
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["transfer", "pointer"])
  func `a hanging card is reported as lost within seconds, and the file is complete`(
    call: String
  ) async throws {
    let device = testCard("block_in=\(call) block_at=9600 block_ms=600000")
    let began = ContinuousClock.now
    let recorded = try await bench.record(nil, from: device)
    // The loss is normally reported within a second, and on a busy machine within five.
    #expect(ContinuousClock.now - began < .seconds(15))
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.count >= 2_400)
  }

  @Test(.timeLimit(.minutes(5)))
  func `stopRecording returns while a card hangs`() async throws {
    let recorded = try await bench.record(
      nil, from: testCard("block_in=transfer block_at=1 block_ms=600000")
    ) { await $0.stopRecording() }
    #expect(recorded.events.count >= 1)
  }

  @Test(arguments: [
    ("open_error=16", "in use"), ("open_error=11", "in use"),
    ("open_error=19", "no capture device"),
  ])
  func `recording from a card that cannot be opened throws the reason and leaves no file`(
    script: String, reason: String
  ) async throws {
    let recorded = try await bench.record(nil, from: testCard(script))
    #expect(recorded.events.isEmpty && !recorded.hasFile)
    guard case .device(_, let sentence) = recorded.error else {
      Issue.record("\(recorded)")
      return
    }
    #expect(sentence.contains(reason), "\(sentence)")
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "fail=5 fail_at=9600", "fail=11 fail_at=9600",
      "pointer=-9200000000000000000 pointer_at=9600",
    ])
  func `if every transfer or every position query fails, a card is lost, and its audio is kept`(
    script: String
  ) async throws {
    let device = testCard(script)
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.count >= 2_400)
  }

  @Test(arguments: [
    "surplus=1", "surplus=1 format=S16", "surplus=100000", "claim=4611686018427387904",
    "claim=-9200000000000000000", "claim=-2147483648",
  ])
  func `a driver that reports an impossible frame count ends the recording with an error`(
    script: String
  ) async throws {
    let recorded = try await bench.record(nil, from: testCard("\(script) claim_at=9600"))
    #expect(recorded.error != nil && recorded.finish == nil)
    #expect(recorded.samples.count >= 2_400)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording continues after its server pauses for seconds`() async throws {
    let recorded = try await bench.record(
      .milliseconds(600), from: testCard("pause_at=9600 pause_ms=2500"))
    #expect(recorded.error == nil)
    #expect(recorded.finish?.reason == .lengthReached)
    #expect(recorded.samples.count == 28_800)
  }

  @Test func `a card that never becomes ready is reported as lost after five seconds`() async throws
  {
    let device = testCard("stall_at=0")
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.isEmpty)
  }
}
