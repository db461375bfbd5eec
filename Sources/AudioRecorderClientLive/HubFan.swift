import AudioCore
import SoundCard

/// Gives the audio of a capture to all that want it, on the thread of the capture.
final class HubFan: CaptureAudience {
  /// A device that is lost.
  private struct Absence {
    /// What tells of it.
    let news: DeviceAudio
    let error: any Error
    let watch: CaptureWatch
  }

  private let capture: SharedCapture
  private var members: [HubMember] = []
  private var leaving: [(member: HubMember, outcome: Result<Void, any Error>)] = []
  /// The numbers of the members that wanted to leave when the round began.
  private var leavingThisRound: Set<Int> = []
  private var absence: Absence?

  init(_ capture: SharedCapture) {
    self.capture = capture
  }

  func take(_ captured: DeviceAudio) -> Bool {
    admit()
    return give { member in try member.take(captured) }
  }

  func beginRound() {
    admit()
    leavingThisRound = Set(members.filter(\.wantsToLeave).map(\.number))
  }

  func endRound() -> Bool {
    remove(members.filter { leavingThisRound.contains($0.number) }.map { ($0, .success(())) })
  }

  /// Several are served at once, each as soon as there is something.
  var patience: Duration { members.count == 1 ? members[0].patience : .zero }

  /// The members are finished by `end`, after the device is closed.
  func finish() {}

  /// Whether somebody would wait for a device that is lost.
  var isAnyoneWaiting: Bool {
    admit()
    return members.contains { $0.onDeviceLoss != .fail }
  }

  /// The device is lost: who does not wait for it leaves, the others hear of it.
  func lose(_ news: DeviceAudio, _ error: any Error, _ watch: CaptureWatch) {
    absence = Absence(news: news, error: error, watch: watch)
    tellLoss(to: Set(members.map(\.number)))
  }

  /// These have waited for as long as they wanted to.
  func expire(_ numbers: [Int]) {
    guard let absence else { return }
    remove(members.filter { numbers.contains($0.number) }.map { ($0, .failure(absence.error)) })
  }

  /// Something is heard again.
  func comeBack(_ news: DeviceAudio) {
    admit()
    absence?.watch.end()
    absence = nil
    give { member in try member.take(news) }
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
    for member in newcomers where member.mayStall {
      member.becomeOneOfMany { [capture] in capture.nudge() }
    }
    if members.count > 1 {
      for member in members { member.becomeOneOfMany { [capture] in capture.nudge() } }
    }
    if absence != nil { tellLoss(to: Set(newcomers.map(\.number))) }
  }

  private func tellLoss(to numbers: Set<Int>) {
    guard let absence else { return }
    give { member in
      guard numbers.contains(member.number) else { return true }
      guard case .wait(let limit) = member.onDeviceLoss else { throw absence.error }
      absence.watch.join(member.number, atMost: limit)
      return try member.take(absence.news)
    }
  }

  /// Serves all members; those who want no more, or fail, leave.
  @discardableResult
  private func give(_ body: (HubMember) throws -> Bool) -> Bool {
    let served = members.map { member in (member, Result { try body(member) }) }
    return remove(served.filter { $0.1.isOver }.map { ($0.0, $0.1.map { _ in }) })
  }

  /// False where nobody is left; those who leave last are finished when the device is closed.
  @discardableResult
  private func remove(_ gone: [(HubMember, Result<Void, any Error>)]) -> Bool {
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
  /// Whether a member wants no more.
  fileprivate var isOver: Bool {
    if case .success(true) = self { false } else { true }
  }
}
