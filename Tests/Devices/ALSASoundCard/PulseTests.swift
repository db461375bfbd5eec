import AudioCore
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests devices of a PulseAudio server with a null sink, whose monitor captures the played audio.
@Suite(.serialized) struct PulseTests {
  let bench: TestALSA

  init() throws {
    bench = try TestALSA.ready()
    try bench.startPulse()
  }

  @Test func `a sound server's monitor captures the played samples exactly`()
    async throws
  {
    let capture = try ALSADevice(.capture, request("syrinxpulse", channels: 2, count: 20))
    let playback = try ALSADevice(.playback, request("syrinxpulse", channels: 2, count: 20))
    #expect(playback.configuration.format.sampleRate == 48_000)
    try capture.start()
    // The sound begins with silence, because a server delivers no frames until both streams are
    // connected.
    let silence = [Float](repeating: 0, count: 48_000)
    let signal = ramp(30_000, from: 1).flatMap { [$0 / 2, -$0 / 2] }
    async let played = playback.play(silence + signal + silence + silence + silence)
    // This is long enough even if playback and capture begin at very different times on a busy
    // machine.
    let recorded = await capture.record(48_000 * 4)
    #expect(await played.error == nil)
    #expect(recorded.error == nil && recorded.interruptions.isEmpty)
    let captured = recorded.frames
    let first = try #require(captured.firstIndex { abs($0) > 1e-6 })
    let part = captured[first...].prefix(signal.count)
    let largest = zip(part, signal).map { abs($0 - $1) }.max() ?? 1
    #expect(part.count == signal.count && largest < 1e-6, "\(largest)")
  }

  @Test func `a playback device is reported as lost when its sound server ends`() async throws {
    let playback = try ALSADevice(.playback, request("syrinxpulse", channels: 2, count: 20))
    #expect(await playback.play(ramp(9_600)).error == nil)
    try bench.stopPulse()
    #expect(await playback.play(ramp(96_000)).error == .deviceLost("syrinxpulse"))
    playback.close()
  }

  @Test func `a capture device is reported as lost when its sound server ends`() async throws {
    let capture = try ALSADevice(.capture, request("syrinxpulse", channels: 2, count: 20))
    #expect(await capture.record(4_800).error == nil)
    try bench.stopPulse()
    #expect(await capture.record(96_000).error == .deviceLost("syrinxpulse"))
    capture.close()
  }

  @Test func `the sinks and the monitors of a sound server are found by name`() throws {
    let socket = "unix:\(bench.pulseDirectory.path())/native"
    let found = PulseServer.devices(at: socket, within: .seconds(20))
    #expect(
      found.filter { $0.directions == [.playback] }.map(\.id) == ["pulse:syrinx", "pulse:syrinx51"])
    #expect(
      found.filter { $0.directions == [.capture] }.map(\.id) == [
        "pulse:syrinx.monitor", "pulse:syrinx51.monitor",
      ])
    #expect(found.allSatisfy { !$0.name.isEmpty })
    #expect(PulseServer.devices(at: "\(socket).missing").isEmpty)
  }

  @Test func `listing devices returns within seconds even if the sound server hangs`() throws {
    try bench.pausePulse()
    defer { try? bench.continuePulse() }
    let socket = "unix:\(bench.pulseDirectory.path())/native"
    #expect(PulseServer.devices(at: socket, within: .milliseconds(200)).isEmpty)
  }

  @Test func `the delay of a sound server is plausible and not always zero`()
    async throws
  {
    let playback = try ALSADevice(.playback, request("syrinxpulse", channels: 2, count: 20))
    var delays: [FrameCount] = [try playback.delay()]
    for start in stride(from: 0, to: 24_000, by: 480) {
      let account = await playback.play(ramp(960, from: start))
      #expect(account.error == nil)
      delays.append(try playback.delay())
    }
    let most = 16 * playback.configuration.buffer.rawValue
    #expect(delays.allSatisfy { (0...most).contains($0.rawValue) })
    #expect(delays.contains { $0 > 0 })
  }
}
