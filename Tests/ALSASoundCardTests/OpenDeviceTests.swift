import AudioCore
import AudioThreads
import Glibc
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite(.timeLimit(.minutes(1))) struct OpenDeviceTests {
  init() throws { _ = try TestBench.ready() }

  @Test func `a device that is dropped in its sleep does not sleep any more`() throws {
    let pcm = try ALSAPlayback(
      request(
        testCard("suspend_at=1 resume_again=1000000"), period: .milliseconds(500), count: 4))
    #expect(try pcm.offer(ramp(96_000)[...]) == .frames(96_000))
    try withSignals(to: pcm.waker) {
      for _ in 0..<100 where pcm.device.suspendedSince == nil {
        _ = try pcm.wait(for: .period, atMost: .milliseconds(5))
      }
    }
    try #require(pcm.device.suspendedSince != nil)
    pcm.drop()
    // Its next sleep has five seconds of its own.
    #expect(pcm.device.suspendedSince == nil)
    pcm.close()
  }

  @Test(arguments: [testCard("speed=0"), "syrinxpluggedcard:SCRIPT='mmap=1 speed=0'", "null"])
  func `the thread of a plug-in has no real-time priority, whatever the system allows`(
    device: String
  ) async throws {
    let pcm = try ALSAPlayback(request(device))
    defer { pcm.close() }
    let policy = await ThreadedAnswer.of(thread: "test", abandoned: CInt(-1), failed: { _ in -1 }) {
      pcm.adoptThread()
      return sched_getscheduler(0)
    }
    #expect(policy == SCHED_OTHER)
  }
}
