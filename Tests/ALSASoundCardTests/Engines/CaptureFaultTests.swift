import AudioCore
import AudioRecorderClient
import SoundCard
import Testing

/// The capture engine above a card that goes wrong: what is in the file, what is said, and that it
/// ends.
@Suite struct CaptureFaultTests {
  let bench: EngineBench

  init() throws {
    bench = try EngineBench()
  }

  @Test(arguments: [
    "xrun_at=9600", "suspend_at=9600", "suspend_at=9600 resume_error=38",
    "suspend_at=9600 resume_again=3", "xrun_at=9600 again_in=prepare again_at=9600",
  ])
  func `trouble that passes is an event, and silence keeps the file's time-line`(
    script: String
  ) async throws {
    let recorded = try await bench.record(.milliseconds(600), from: testCard(script))
    #expect(recorded.error == nil)
    #expect(recorded.finish?.reason == .lengthReached)
    #expect(recorded.samples.count == 28_800)
    #expect(recorded.lost > .zero)
    // A frame beyond the first ones is where the ramp says, but for what the clock could not tell.
    let last = Int((recorded.samples.last ?? 0) * 32_768)
    #expect(last == 0 || abs(last - 28_799 % 32_768) < 4_800, "\(last)")
  }

  @Test(arguments: ["short=240 again_every=3", "again_in=start", "early_wakes=1"])
  func `a card that answers oddly loses no frame`(script: String) async throws {
    let recorded = try await bench.record(.milliseconds(400), from: testCard(script))
    #expect(recorded.error == nil)
    #expect(recorded.samples.count == 19_200)
    if recorded.lost == .zero { #expect(recorded.samples.missingInRamp.isEmpty) }
  }

  @Test(arguments: ["gone_at=9600", "hangup_at=9600"])
  func `a card that is pulled out is lost, and the file holds what was heard`(
    script: String
  ) async throws {
    let device = testCard(script)
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.count >= 2_400)
    if recorded.lost == .zero { #expect(recorded.samples.missingInRamp.isEmpty) }
  }

  @Test func `a card that is unplugged is lost, and records again when it is back`() async throws {
    let plug = Plug(in: bench.bench)
    let device = testCard("plugged=\(plug.path)")
    let lost = try await bench.record(nil, from: device) { _ in plug.pull() }
    #expect(lost.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    plug.putBack()
    let again = try await bench.record(.milliseconds(200), from: device)
    #expect(again.samples.count == 9_600)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["transfer", "pointer"])
  func `a card whose calls do not return is lost long before they do, and the file is complete`(
    call: String
  ) async throws {
    let device = testCard("block_in=\(call) block_at=9600 block_ms=600000")
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.count >= 2_400)
  }

  @Test(.timeLimit(.minutes(1)))
  func `stopRecording returns before a card that hangs`() async throws {
    let recorded = try await bench.record(
      nil, from: testCard("block_in=transfer block_at=1 block_ms=600000")
    ) { await $0.stopRecording() }
    #expect(recorded.events.count >= 1)
  }

  @Test func `a card that never becomes ready is lost after five seconds`() async throws {
    let device = testCard("stall_at=0")
    let recorded = try await bench.record(nil, from: device)
    #expect(recorded.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(recorded.samples.isEmpty)
  }
}
