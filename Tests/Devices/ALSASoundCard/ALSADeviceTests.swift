import AudioCore
import AudioThreads
import Glibc
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(5))) struct ALSADeviceTests {
  init() throws { _ = try TestALSA.ready() }

  @Test func `drop ends the suspended state of a device`() throws {
    let pcm = try ALSADevice(
      .playback,
      request(
        testCard("suspend_at=1 resume_again=1000000"), period: .milliseconds(500), count: 4))
    #expect(try pcm.offer(ramp(96_000)[...]) == .frames(96_000))
    try withSignals(to: pcm.waker) {
      for _ in 0..<100 where pcm.suspendedSince == nil {
        _ = try pcm.wait(for: .period, atMost: .milliseconds(5))
      }
    }
    try #require(pcm.suspendedSince != nil)
    pcm.drop()
    // After the drop, the next suspend has the full time limit again.
    #expect(pcm.suspendedSince == nil)
    pcm.close()
  }

  @Test(arguments: [testCard("speed=0"), "syrinxpluggedcard:SCRIPT='mmap=1 speed=0'", "null"])
  func `a plug-in's thread never gets real-time priority`(
    device: String
  ) async throws {
    let pcm = try ALSADevice(.playback, request(device))
    defer { pcm.close() }
    let policy = await DedicatedThread.run(name: "test", abandoned: CInt(-1), failed: { _ in -1 }) {
      pcm.adoptThread()
      return sched_getscheduler(0)
    }
    #expect(policy == SCHED_OTHER)
  }
}
