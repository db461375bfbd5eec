import AudioCore
import Glibc
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct RecoveryTests {
  let start = SuspendingClock().systemEpoch

  @Test(arguments: [EAGAIN, EINTR])
  func `EAGAIN and EINTR need no recovery`(code: Int32) {
    #expect(steps(.playback, [-code]) == [.nothing])
  }

  @Test func `after an xrun, a playback is prepared`() {
    #expect(steps(.playback, [-EPIPE, 0]) == [.prepare, .done(.xrun)])
  }

  @Test func `after an xrun, a capture is prepared and started`() {
    #expect(steps(.capture, [-EPIPE, 0, 0]) == [.prepare, .start, .done(.xrun)])
  }

  @Test func `a suspended device is resumed`() {
    #expect(steps(.playback, [-ESTRPIPE, 0]) == [.resume, .done(.suspended)])
    #expect(steps(.capture, [-ESTRPIPE, 0, 0]) == [.resume, .start, .done(.suspended)])
  }

  @Test func `a device whose driver cannot resume is prepared instead`() {
    #expect(
      steps(.capture, [-ESTRPIPE, -ENOSYS, 0, 0])
        == [.resume, .prepare, .start, .done(.suspended)])
  }

  @Test func `a resumed device keeps its buffer, and a prepared device does not`() {
    var recovery = Recovery(direction: .playback, suspended: start)
    #expect(recovery.begin(after: -ESTRPIPE) == .resume)
    #expect(recovery.next(after: 0, now: start) == .done(.suspended))
    #expect(!recovery.isEmptied)
    recovery = Recovery(direction: .playback, suspended: start)
    #expect(recovery.begin(after: -ESTRPIPE) == .resume)
    #expect(recovery.next(after: -ENOSYS, now: start) == .prepare)
    #expect(recovery.isEmptied)
  }

  @Test func `resume is retried after EAGAIN`() {
    let pause = Recovery.Action.waitToResume(Recovery.resumePause)
    #expect(
      steps(.playback, [-ESTRPIPE, -EAGAIN, 0, -EAGAIN, 0, 0])
        == [.resume, pause, .resume, pause, .resume, .done(.suspended)])
  }

  @Test func `resume is not retried beyond its limit`() {
    var recovery = Recovery(direction: .playback, suspended: start)
    #expect(recovery.begin(after: -ESTRPIPE) == .resume)
    let late = start + Recovery.resumeLimit
    #expect(recovery.next(after: -EAGAIN, now: late) == .prepare)
  }

  @Test func `prepare is retried after EAGAIN up to a limit`() {
    let pause = Recovery.Action.waitToPrepare(Recovery.resumePause)
    #expect(
      steps(.playback, [-EPIPE, -EAGAIN, 0, 0]) == [.prepare, pause, .prepare, .done(.xrun)])
    var recovery = Recovery(direction: .playback, suspended: start)
    #expect(recovery.begin(after: -EPIPE) == .prepare)
    #expect(recovery.next(after: -EAGAIN, now: start + Recovery.resumeLimit) == .lost)
  }

  @Test func `start is retried after EAGAIN up to a limit`() {
    let pause = Recovery.Action.waitToStart(Recovery.resumePause)
    let again: [Int32] = [-EAGAIN, 0, -EAGAIN, 0, -EAGAIN, 0, -EAGAIN, 0, 0]
    let tries: [Recovery.Action] = [
      .start, pause, .start, pause, .start, pause, .start, pause, .start, .done(.xrun),
    ]
    #expect(steps(.capture, [-EPIPE, 0] + again) == [.prepare] + tries)
    #expect(
      steps(.capture, [-ESTRPIPE, 0, -EAGAIN, 0, 0])
        == [.resume, .start, pause, .start, .done(.suspended)])
    var recovery = Recovery(direction: .capture, suspended: start)
    let late = start + Recovery.resumeLimit
    #expect(recovery.begin(after: -EPIPE) == .prepare)
    var actions: [Recovery.Action] = []
    for code in [0, -EAGAIN, 0, -EAGAIN, 0, -EAGAIN] {
      actions.append(recovery.next(after: code, now: late))
    }
    #expect(actions.last == .failed(operation: "snd_pcm_start", code: -EAGAIN))
  }

  @Test func `if start must be retried, the recovery continues with start and not with prepare`() {
    var recovery = Recovery(direction: .capture, suspended: start)
    _ = recovery.begin(after: -EPIPE)
    #expect(!recovery.isPrepared)
    #expect(recovery.next(after: 0, now: start) == .start)
    _ = recovery.next(after: -EAGAIN, now: start)
    #expect(recovery.isPrepared)
    #expect(recovery.begin(after: 0) == .start)
    #expect(recovery.next(after: 0, now: start) == .done(.xrun))
  }

  @Test(arguments: [ENODEV, ENXIO])
  func `ENODEV and ENXIO count as a loss in every state`(code: Int32) {
    #expect(steps(.playback, [-code]) == [.lost])
    #expect(steps(.playback, [-EPIPE, -code]) == [.prepare, .lost])
    #expect(steps(.capture, [-EPIPE, 0, -code]) == [.prepare, .start, .lost])
    #expect(steps(.capture, [-ESTRPIPE, -code]) == [.resume, .lost])
  }

  @Test func `a disconnected device counts as lost, whatever the code`() {
    var recovery = Recovery(direction: .playback, suspended: start)
    #expect(recovery.begin(after: -EPIPE, isDisconnected: true) == .lost)
  }

  @Test func `a device that cannot be prepared counts as lost`() {
    #expect(steps(.playback, [-EIO, -EIO]) == [.prepare, .lost])
  }

  @Test func `a capture that overruns at its start is retried three times`() {
    #expect(
      steps(.capture, [-EPIPE, 0, -EPIPE, 0, -EPIPE, 0, -EPIPE])
        == [
          .prepare, .start, .prepare, .start, .prepare, .start,
          .failed(operation: "snd_pcm_start", code: -EPIPE),
        ])
  }

  /// Returns the actions for a sequence of the device's results.
  private func steps(
    _ direction: AudioDevice.Direction, _ answers: [Int32]
  ) -> [Recovery.Action] {
    var recovery = Recovery(direction: direction, suspended: start)
    var actions: [Recovery.Action] = []
    for answer in answers {
      actions.append(
        actions.isEmpty
          ? recovery.begin(after: answer) : recovery.next(after: answer, now: start))
    }
    return actions
  }
}
