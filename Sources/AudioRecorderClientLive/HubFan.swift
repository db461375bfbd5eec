import AudioCore

/// Gives the audio of a capture to all that want it, on the thread of the capture.
final class HubFan: CaptureConsumer {
  private let capture: SharedCapture
  private var members: [HubMember] = []
  private var leaving: [(member: HubMember, outcome: Result<Void, any Error>)] = []

  init(_ capture: SharedCapture) {
    self.capture = capture
  }

  func take(_ captured: DeviceAudio) -> Bool {
    admit()
    let served = members.map { member in (member, Result { try member.take(captured) }) }
    return remove(served.filter { $0.1.isOver }.map { ($0.0, $0.1.map { _ in }) })
  }

  func takeRest() -> Bool {
    admit()
    return remove(members.filter(\.wantsToLeave).map { ($0, .success(())) })
  }

  /// The members are finished by `end`, after the device is closed.
  func finish() {}

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
    guard members.count > 1 else { return }
    for member in members { member.becomeOneOfMany { [capture] in capture.nudge() } }
  }

  /// False where nobody is left; those who leave last are finished when the device is closed.
  private func remove(_ gone: [(HubMember, Result<Void, any Error>)]) -> Bool {
    guard !gone.isEmpty else { return !capture.isOver }
    let numbers = Set(gone.map(\.0.number))
    members.removeAll { numbers.contains($0.number) }
    for (member, outcome) in gone {
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
