import AudioCore
import AudioThreads
import Testing

@testable import SoundCard

/// Tests the verdicts of a monitored device on snapshots of its heartbeat.
@Suite struct MonitoredDeviceSnapshotTests {
  private let inWrite: Heartbeat.Beat = (7, .transfer)
  private let device: MonitoredPlayback

  init() throws {
    device = MonitoredPlayback(try HangingDevice())
  }

  private func check(
    _ beat: Heartbeat.Beat, after passed: Duration, patience: Duration? = nil
  ) -> StallWatch.Verdict {
    device.check(beat, after: passed, patience: patience ?? PCMConfiguration.cardPatience)
  }

  /// Returns the verdicts for snapshots that are `interval` apart.
  private func verdicts(
    _ beats: [Heartbeat.Beat], every interval: Duration = MonitoredPlayback.interval
  ) -> [StallWatch.Verdict] {
    beats.map { check($0, after: interval) }
  }

  @Test func `a hanging call is reported as late once, and then as stalled, within a second`() {
    #expect(
      verdicts(Array(repeating: inWrite, count: 5))
        == [.fine, .fine, .late, .fine, .stalled])
    #expect(MonitoredPlayback.interval * 5 <= .seconds(1))
  }

  @Test func `a call into a sound server counts as stalled only after the server's longer timeout`()
  {
    let verdicts = (0..<27).map { _ in
      check(inWrite, after: .milliseconds(200), patience: .seconds(5))
    }
    #expect(verdicts.dropLast(2).allSatisfy { $0 == .fine || $0 == .late })
    #expect(verdicts.contains(.stalled))
  }

  @Test func `a thread that makes the same kind of call repeatedly does not count as hanging`() {
    let beats = (0..<20).map { (count: UInt64($0), call: PCMCall?.some(.wait)) }
    #expect(verdicts(beats).allSatisfy { $0 == .fine })
  }

  @Test func `a thread that is not in a device call does not count as hanging`() {
    let mixing: Heartbeat.Beat = (8, nil)
    #expect(verdicts(Array(repeating: mixing, count: 20)).allSatisfy { $0 == .fine })
  }

  @Test func `a thread that continues after a late call no longer counts as late`() {
    let next: Heartbeat.Beat = (9, .transfer)
    #expect(
      verdicts([inWrite, inWrite, inWrite, next, next, next])
        == [.fine, .fine, .late, .fine, .fine, .late])
  }

  @Test func `a snapshot after the process was stopped for a minute counts as one interval`() {
    #expect(verdicts([inWrite, inWrite], every: .seconds(60)) == [.fine, .fine])
  }

  @Test func `if snapshots come late, a call counts as stalled only after several seconds`() {
    let verdicts = verdicts(Array(repeating: inWrite, count: 26), every: .milliseconds(300))
    #expect(verdicts.dropLast().count { $0 != .fine } == 1)
    #expect(verdicts[2] == .late)
    #expect(verdicts.last == .stalled)
  }

  @Test func `between late snapshots, punctual snapshots still count toward a stall`() {
    let verdicts = [200, 200, 900, 200, 600, 200, 240].map {
      check(inWrite, after: .milliseconds($0))
    }
    #expect(
      verdicts == [.fine, .fine, .late, .fine, .fine, .fine, .stalled])
  }

  @Test func `snapshots in quick succession do not make a call count as stalled sooner`() {
    let verdicts = verdicts(Array(repeating: inWrite, count: 60), every: .milliseconds(10))
    #expect(verdicts.filter { $0 != .fine } == [.late])
  }

  @Test func `a hanging call counts as stalled as soon as its caller wants to end`() throws {
    for isEnding in [false, true] {
      let device = MonitoredPlayback(try HangingDevice())
      let patience = isEnding ? PCMConfiguration.cardPatience : .seconds(5)
      let verdicts = (0..<6).map { index in
        device.check(
          inWrite, after: MonitoredPlayback.interval, patience: index < 5 ? .seconds(5) : patience)
      }
      #expect(verdicts.dropLast().allSatisfy { $0 == .fine || $0 == .late })
      #expect((verdicts.last == .stalled) == isEnding)
    }
  }
}
