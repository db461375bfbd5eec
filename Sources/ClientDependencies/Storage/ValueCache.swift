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
  private let ofTests = Lock<[RunningTest?: [TestEntry: CacheEntry]]>([:])

  /// - Parameter separatesTests: whether each test has values of its own; it costs a look-up of the current test.
  init(separatesTests: Bool = isTesting) {
    self.separatesTests = separatesTests
  }

  @inlinable
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for reader: Reader? = nil
  ) -> CachedValue<Key.Value> {
    let entry =
      find(ObjectIdentifier(key), in: context, for: reader) ?? make(key, in: context, for: reader)
    // Right, because an entry is filed under the key whose value it holds.
    return unsafeDowncast(entry, to: CachedValue<Key.Value>.self)
  }

  @usableFromInline
  func find(
    _ key: ObjectIdentifier, in context: DependencyContext, for reader: Reader?
  ) -> CacheEntry? {
    guard separatesTests else { return table(context).find(key) }
    let (test, entry) = (Self.test(of: reader), TestEntry(key: key, context: context))
    return ofTests.withLock { $0[test]?[entry] }
  }

  @usableFromInline
  func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext, for reader: Reader?
  ) -> CacheEntry {
    guard separatesTests else {
      return table(context).insert(Construction.value(of: key, in: context))
    }
    TestProcess.complainIfWithoutSupport()
    // What is made where no test runs belongs to the reader's test as well.
    let origin = IssueOrigin.ofEscapedScope.or(reader?.origin ?? IssueOrigin())
    let made = origin.withScope { Construction.value(of: key, in: context) }
    let (test, entry) = (Self.test(of: reader), TestEntry(key: made.key, context: context))
    return ofTests.withLock { entries in
      if let earlier = entries[test]?[entry] { return earlier }
      entries[test, default: [:]][entry] = made
      return made
    }
  }

  /// Releases the values of a test that has ended.
  func removeValues(of test: RunningTest) {
    // The values go after the lock is released: their ends may read others.
    _ = ofTests.withLock { $0.removeValue(forKey: test) }
  }

  /// The test that runs, or for a reader that lost it the one that the reader was made in.
  private static func test(of reader: Reader?) -> RunningTest? {
    .current ?? reader?.origin.test
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
}
