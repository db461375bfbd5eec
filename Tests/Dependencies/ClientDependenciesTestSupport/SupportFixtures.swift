import ClientDependenciesTestSupport
import Synchronization

/// Counts its own calls; a count above 1 at a test's first call shows that values are shared.
final class Tally: Sendable {
  private let number = Atomic(0)
  func next() -> Int { number.add(1, ordering: .relaxed).newValue }
}

enum TallyKey: TestDependencyKey {
  static var testValue: Tally { Tally() }
}

struct NameClient: TestDependencyKey {
  var name: @Sendable () -> String = { "test" }
  static var testValue: NameClient { NameClient() }
}

extension DependencyValues {
  var tally: Tally {
    get { self[TallyKey.self] }
    set { self[TallyKey.self] = newValue }
  }
  var nameClient: NameClient {
    get { self[NameClient.self] }
    set { self[NameClient.self] = newValue }
  }
  var supportNumber: Int {
    get { self[SupportNumberKey.self] }
    set { self[SupportNumberKey.self] = newValue }
  }
}

enum SupportNumberKey: TestDependencyKey {
  static let testValue = 0
}
