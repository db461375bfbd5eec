import AudioCore
import SoundCard

/// Distributes the audio of a capture to its members, on the capture's thread.
final class CaptureDistributor: CaptureConsumer {
  /// The absence of a lost device.
  private struct Absence {
    /// The reported error.
    let loss: DeviceAudio
    let error: any Error
    let watch: CaptureWatch
  }

  private let capture: SharedCapture
  private var members: [CaptureMember] = []
  private var leaving: [(member: CaptureMember, outcome: Result<Void, any Error>)] = []
  /// The members that wanted to leave when the round began, by number.
  private var leavingThisRound: Set<Int> = []
  private var absence: Absence?

  init(_ capture: SharedCapture) {
    self.capture = capture
  }

  func take(_ captured: DeviceAudio) -> Bool {
    admit()
    if captured.event == .returned {
      absence?.watch.end()
      absence = nil
    }
    return give { member in try member.take(captured) }
  }

  func beginRound() {
    admit()
    leavingThisRound = Set(members.filter(\.wantsToLeave).map(\.number))
  }

  func endRound() -> Bool {
    remove(members.filter { leavingThisRound.contains($0.number) }.map { ($0, .success(())) })
  }

  /// Several members get each block at once.
  var batchDuration: Duration { members.count == 1 ? members[0].batchDuration : .zero }

  /// Does nothing: `end` finishes the members, after the device is closed.
  func finish() {}

  /// Whether a member waits if the device is lost.
  var isAnyMemberWaiting: Bool {
    admit()
    return members.contains { $0.onDeviceLoss != .fail }
  }

  /// Reports the loss of the device; members that do not wait for it leave with the error.
  func lose(_ loss: DeviceAudio, _ error: any Error, _ watch: CaptureWatch) {
    absence = Absence(loss: loss, error: error, watch: watch)
    reportLoss(to: Set(members.map(\.number)))
  }

  /// Removes members whose time to wait is over.
  func expire(_ numbers: [Int]) {
    guard let absence else { return }
    remove(members.filter { numbers.contains($0.number) }.map { ($0, .failure(absence.error)) })
  }

  /// The capture has ended, and the device is closed.
  func end(_ outcome: Result<Void, any Error>) {
    admit()
    for (member, outcome) in leaving { member.finish(outcome) }
    for member in members { member.finish(outcome) }
  }

  private func admit() {
    let newcomers = capture.takeNewcomers()
    guard !newcomers.isEmpty else { return }
    members += newcomers
    for member in members where member.mayStall || members.count > 1 {
      member.startThread(capture.lockstep) { [capture] in capture.nudge() }
    }
    if absence != nil { reportLoss(to: Set(newcomers.map(\.number))) }
  }

  private func reportLoss(to numbers: Set<Int>) {
    guard let absence else { return }
    give { member in
      guard numbers.contains(member.number) else { return true }
      guard case .wait(let limit) = member.onDeviceLoss else { throw absence.error }
      absence.watch.join(member.number, atMost: limit)
      return try member.take(absence.loss)
    }
  }

  /// Serves all members; those that want no more, or fail, leave.
  @discardableResult
  private func give(_ body: (CaptureMember) throws -> Bool) -> Bool {
    let served = members.map { member in (member, Result { try body(member) }) }
    return remove(served.filter { $0.1.isOver }.map { ($0.0, $0.1.map { _ in }) })
  }

  /// False if no member is left; the last one is finished after the device is closed.
  @discardableResult
  private func remove(_ gone: [(CaptureMember, Result<Void, any Error>)]) -> Bool {
    guard !gone.isEmpty else { return !capture.isOver }
    let numbers = Set(gone.map(\.0.number))
    members.removeAll { numbers.contains($0.number) }
    for (member, outcome) in gone {
      absence?.watch.leave(member.number)
      if capture.leave(member) {
        leaving.append((member, outcome))
      } else {
        member.finish(outcome)
      }
    }
    return !capture.isOver
  }
}

extension Result<Bool, any Error> {
  /// Whether the member wants no more.
  fileprivate var isOver: Bool {
    if case .success(true) = self { false } else { true }
  }
}
