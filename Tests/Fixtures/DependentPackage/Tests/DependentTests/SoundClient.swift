import ClientDependenciesTestSupport
import Synchronization

/// A client that a user writes without the macro.
struct SoundClient: TestDependencyKey {
  var play: @Sendable () -> Void = { [origin = IssueOrigin.current] in
    reportUnimplemented("SoundClient.play", from: origin)
  }
  /// The placeholder of IssueReporting, which does not record the test that created it.
  var stop: @Sendable () -> Void = unimplemented("SoundClient.stop")

  static var testValue: SoundClient { SoundClient() }
}

/// A client whose author forgot the test value.
struct LiveClient: DependencyKey {
  static let liveValue = LiveClient()
}

/// Counts calls; a value shared by two tests would show in the second test's count.
final class Tally: DependencyKey, Sendable {
  private let number = Atomic(0)
  func next() -> Int { number.add(1, ordering: .relaxed).newValue }

  static var liveValue: Tally { Tally() }
  static var testValue: Tally { Tally() }
}
