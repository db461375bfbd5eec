import ClientDependenciesTestSupport
import Synchronization

/// A client without the macro, as a user writes it.
struct SoundClient: TestDependencyKey {
  var play: @Sendable () -> Void = { [origin = IssueOrigin.current] in
    reportUnimplemented("SoundClient.play", from: origin)
  }
  /// Made by IssueReporting, which knows nothing of origins.
  var stop: @Sendable () -> Void = unimplemented("SoundClient.stop")

  static var testValue: SoundClient { SoundClient() }
}

/// A client whose author forgot the test value.
struct LiveClient: DependencyKey {
  static let liveValue = LiveClient()
}

/// Counts its calls: what one test left shows in the next one.
final class Tally: DependencyKey, Sendable {
  private let number = Atomic(0)
  func next() -> Int { number.add(1, ordering: .relaxed).newValue }

  static var liveValue: Tally { Tally() }
  static var testValue: Tally { Tally() }
}
