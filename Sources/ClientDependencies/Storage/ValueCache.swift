import Synchronization

/// The values that contexts gave so far, one for each key and context, and in tests one for each
/// test.
///
/// No lock is held while a value is made: making it may read other values, also on other threads.
/// Two threads that make the same one at the same time both go on with the value of the one that
/// came first.
@usableFromInline
final class ValueCache: Sendable {
  /// The cache of all scopes that ask for no other: values live as long as the process.
  static let ofProcess = ValueCache()

  private let separatesTests: Bool
  private let live = CacheTable()
  private let preview = CacheTable()
  private let test = CacheTable()
  // Only test processes use it, and only to look up and to insert.
  private let ofTests = Mutex<[TestEntry: CacheEntry]>([:])

  /// - Parameter separatesTests: whether each test has values of its own; it costs a look-up of the current test.
  init(separatesTests: Bool = isTesting) {
    self.separatesTests = separatesTests
  }

  @inlinable
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext
  ) -> CachedValue<Key.Value> {
    let entry = find(ObjectIdentifier(key), in: context) ?? make(key, in: context)
    // Right, because an entry is filed under the key whose value it holds.
    return unsafeDowncast(entry, to: CachedValue<Key.Value>.self)
  }

  @usableFromInline
  func find(_ key: ObjectIdentifier, in context: DependencyContext) -> CacheEntry? {
    guard separatesTests else { return table(context).find(key) }
    let entry = TestEntry(key: key, context: context, test: .current)
    return ofTests.withLock { $0[entry] }
  }

  @usableFromInline
  func make<Key: TestDependencyKey>(_ key: Key.Type, in context: DependencyContext) -> CacheEntry {
    let made = Construction.value(of: key, in: context)
    guard separatesTests else { return table(context).insert(made) }
    let entry = TestEntry(key: made.key, context: context, test: .current)
    return ofTests.withLock { entries in
      if let earlier = entries[entry] { return earlier }
      entries[entry] = made
      return made
    }
  }

  private func table(_ context: DependencyContext) -> CacheTable {
    switch context {
    case .live: live
    case .preview: preview
    case .test: test
    }
  }
}

private struct TestEntry: Hashable {
  var key: ObjectIdentifier
  var context: DependencyContext
  var test: RunningTest
}

/// The test that the current task belongs to.
private struct RunningTest: Hashable {
  var id: TestContext.Testing.Test.ID?

  /// Without an identity in XCTest and on threads that no test started.
  static var current: RunningTest {
    guard case .swiftTesting(let testing) = TestContext.current else { return RunningTest(id: nil) }
    return RunningTest(id: testing?.test.id)
  }
}
