import AudioCore
import AudioThreads
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests how playback and capture devices handle the faults that the test card injects.
@Suite struct FaultTests {
  init() throws { _ = try TestALSA.ready() }

  @Test func `a playback continues after an underrun and reports it once`() async throws {
    let pcm = try ALSADevice(.playback, request(testCard("xrun_at=2400")))
    let account = await pcm.play(ramp(60_000))
    #expect(account.error == nil)
    #expect(account.interruptions.map(\.cause) == [.xrun])
  }

  @Test func `a capture restarts after an overrun and reports the lost frames`()
    async throws
  {
    let pcm = try ALSADevice(.capture, request(testCard("xrun_at=2400")))
    let account = await pcm.record(9_600)
    #expect(account.error == nil)
    #expect(account.frames.count >= 9_600)
    let interruption = try #require(account.interruptions.first)
    #expect(account.interruptions.count == 1)
    #expect(interruption.cause == .xrun)
    let missing = account.frames.missingInRamp
    #expect(missing.count == 1, "\(missing)")
    let period = pcm.configuration.period.rawValue
    #expect(abs(interruption.lost.rawValue - (missing.first ?? 0)) <= period)
  }

  @Test func `a playback without writes underruns and reports the frames of silence`()
    async throws
  {
    let pcm = try ALSADevice(.playback, request(testCard(""), count: 4))
    let before = pcm.elapsed
    _ = await pcm.play(ramp(1_920))
    let began = pcm.elapsed
    // Nothing is written for 60 ms, but the 1,920 frames in the device last only 40 ms.
    _ = try WakeUp().wait(atMost: .milliseconds(60))
    let noticed = pcm.elapsed
    let outcome = try pcm.wait(for: .period, atMost: .seconds(5))
    guard case .interrupted(let interruption) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let least = FrameCount(noticed - began, at: 48_000) - 1_920 - 1
    let most = FrameCount(pcm.elapsed - before, at: 48_000) - 1_920 + 1
    #expect(interruption.lost >= least && interruption.lost <= most)
  }

  @Test func `a playback device that resumes after a suspend still has its buffered frames`() throws
  {
    let pcm = try ALSADevice(.playback, request(testCard("suspend_at=1"), count: 400))
    let buffer = pcm.configuration.buffer
    #expect(try pcm.offer(ramp(buffer.rawValue)[...]) == .frames(buffer))
    let outcome = try pcm.wait(for: .period, atMost: .seconds(5))
    guard case .interrupted(let interruption) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(interruption.cause == .suspended)
    #expect(try pcm.delay() > 0)
  }

  @Test(arguments: ["", "resume_again=3"])
  func `a suspended playback resumes`(script: String) async throws {
    let pcm = try ALSADevice(.playback, request(testCard("suspend_at=2400 \(script)")))
    let account = await pcm.play(ramp(60_000))
    #expect(account.error == nil)
    #expect(account.interruptions.map(\.cause) == [.suspended])
  }

  @Test(arguments: ["", "resume_again=3", "resume_error=38", "resume_again=2 resume_error=38"])
  func `a suspended capture resumes, even if its driver does not support resume`(script: String)
    async throws
  {
    // The buffer holds ten seconds, so that a busy machine causes no xrun in addition to the
    // suspend.
    let pcm = try ALSADevice(.capture, request(testCard("suspend_at=2400 \(script)"), count: 1_000))
    let account = await pcm.record(9_600)
    #expect(account.error == nil)
    #expect(account.frames.count >= 9_600)
    #expect(account.interruptions.map(\.cause) == [.suspended])
    // If a driver cannot resume, the retries end before `resumeLimit`.
    let lost = account.interruptions.map {
      $0.lost.duration(at: pcm.configuration.format.sampleRate)
    }
    #expect(lost.allSatisfy { $0 < Recovery.resumeLimit })
  }

  @Test func `the suspend of a capture is detected at once, before a whole period is available`()
    throws
  {
    let pcm = try ALSADevice(
      .capture, request(testCard("suspend_at=1"), period: .milliseconds(500), count: 20))
    let outcome = try pcm.wait(for: .period, atMost: .seconds(30))
    guard case .interrupted(let interruption) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(interruption.cause == .suspended)
    #expect(interruption.lost < FrameCount(.seconds(15), at: 48_000))
  }

  @Test(arguments: ["gone_at=2400", "hangup_at=2400"])
  func `an unplugged playback device is reported as lost by every later call`(script: String)
    async throws
  {
    let pcm = try ALSADevice(.playback, request(testCard(script)))
    let account = await pcm.play(ramp(96_000))
    let lost = SoundCardError.deviceLost(pcm.configuration.device)
    #expect(account.error == lost)
    #expect(throws: lost) { try pcm.wait(for: .period, atMost: .zero) }
    #expect(throws: lost) { try pcm.start() }
    pcm.drop()
    pcm.close()
  }

  @Test func `the delay of an unplugged device throws deviceLost`()
    throws
  {
    let pcm = try ALSADevice(.playback, request(testCard("gone_at=480")))
    #expect(try pcm.offer(ramp(4_800)[...]) == .frames(4_800))
    _ = try WakeUp().wait(atMost: .milliseconds(20))
    #expect(throws: SoundCardError.deviceLost(pcm.configuration.device)) { try pcm.delay() }
  }

  @Test(arguments: ["gone_at=2400", "hangup_at=2400"])
  func `an unplugged capture device is reported as lost`(script: String) async throws {
    let pcm = try ALSADevice(.capture, request(testCard(script)))
    let account = await pcm.record(48_000)
    #expect(account.error == .deviceLost(pcm.configuration.device))
    #expect(account.frames.count >= 480)
  }

  @Test func `short and refused writes lose no frame`() async throws {
    let file = try TestALSA.ready().file()
    let pcm = try ALSADevice(
      .playback, request(testCard("short=100 again_every=3 speed=4 output=\(file.path())")))
    let samples = ramp(9_600)
    let account = await pcm.play(samples)
    #expect(account.error == nil && account.interruptions.isEmpty)
    pcm.close()
    #expect(try isFile(file, samples))
  }

  @Test func `short and refused reads lose no frame`() async throws {
    let pcm = try ALSADevice(.capture, request(testCard("short=240 again_every=3")))
    let account = await pcm.record(4_800)
    #expect(account.error == nil && account.interruptions.isEmpty)
    #expect(account.frames.first == 0 && account.frames.missingInRamp.isEmpty)
  }

  @Test(arguments: ["delay=-500", "delay=2000000000", "delay_error=5"])
  func `an implausible delay is limited to the buffer's length`(script: String) async throws {
    let pcm = try ALSADevice(.playback, request(testCard(script)))
    #expect(try pcm.delay() == 0)
    for start in stride(from: 0, to: 4_800, by: 480) {
      #expect(await pcm.play(ramp(480, from: start)).error == nil)
      let delay = try pcm.delay()
      #expect(delay >= 0 && delay <= pcm.configuration.buffer)
      #expect(pcm.timeUntilUnderrun <= .seconds(1))
    }
  }

  @Test func `a wait continues if the card reports ready before a period is available`()
    async throws
  {
    let pcm = try ALSADevice(
      .capture, request(testCard("early_wakes=1"), period: .milliseconds(50)))
    try pcm.start()
    let outcome = try pcm.wait(for: .period, atMost: .seconds(5))
    guard case .ready(let frames) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(frames >= pcm.configuration.period)
  }

  @Test func `waiting for a device that is never ready ends at the timeout or the waker's signal`()
    throws
  {
    let pcm = try ALSADevice(.capture, request(testCard("rate=8000 speed=1"), period: .seconds(2)))
    #expect(try pcm.wait(for: .period, atMost: .milliseconds(20)) == .timedOut)
    pcm.waker.signal()
    #expect(try pcm.wait(for: .period, atMost: nil) == .woken)
  }

  @Test func `waiting for a suspended device ends at the waker's signal`() throws {
    // The period is half a second long, so that the device does not become ready before its
    // suspend.
    let pcm = try ALSADevice(
      .playback,
      request(
        testCard("suspend_at=1 resume_again=1000000"), period: .milliseconds(500), count: 4))
    #expect(try pcm.offer(ramp(96_000)[...]) == .frames(96_000))
    let waker = pcm.waker
    let outcome = try withSignals(to: waker) { try pcm.wait(for: .period, atMost: nil) }
    #expect(outcome == .woken)
  }
}

/// Runs `body` while the waker is signaled repeatedly.
func withSignals<Value>(
  to waker: WakeUp, _ body: () throws -> Value
) throws -> Value {
  let done = try WakeUp()
  _ = try DedicatedThread.start(name: "signals") {
    while !done.wait(atMost: .milliseconds(20)) { waker.signal() }
  }
  defer { done.signal() }
  return try body()
}

extension [Float] {
  /// The number of frames missing at each gap in a 16-bit ramp.
  var missingInRamp: [Int] {
    zip(self, dropFirst()).compactMap { before, after in
      let step = Int(((after - before) * 32_768).rounded())
      return step == 1 ? nil : (step - 1 + 32_768) % 32_768
    }
  }
}
