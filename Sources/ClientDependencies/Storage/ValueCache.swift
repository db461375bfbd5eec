#if !PointFreeDependencies
/// The values that contexts gave so far, one for each key and context, and in tests one for each
/// test.
///
/// A value is made once, and no lock is held meanwhile: making it may read other values, also on
/// other threads. A reader of the same value waits for it; see `Making` for the exceptions.
final class ValueCache: Sendable {
  /// The cache of all scopes that ask for no other: values live as long as the process.
  static let ofProcess = ValueCache()
  /// The same for readers, who count no references to it: it lives as long as the process.
  static let ofProcessForReaders = Unmanaged.passUnretained(ofProcess)

  let separatesTests: Bool
  /// How long a reader waits for another one that makes the same value.
  private let patience: Duration
  /// Where no test runs: the context that was prepared, otherwise the process's.
  let contextOfProcess = ContextCell(.detected)
  private let live = CacheTable()
  private let preview = CacheTable()
  private let test = CacheTable()
  // Outside test processes only the first read of a value uses it; held to look up and to insert.
  private let ofTests = Lock<[RunningTest?: ValuesOfTest]>([:])

  /// - Parameter separatesTests: whether each test has values of its own; it costs a look-up of the
  ///   current test.
  init(separatesTests: Bool = isTesting, patience: Duration = .seconds(30)) {
    self.separatesTests = separatesTests
    self.patience = patience
  }

  deinit {
    live.destroy()
    preview.destroy()
    test.destroy()
  }

  /// The entry of a key, where no look-up of the current test is needed; it lives as long as the
  /// cache.
  ///
  /// - Parameter context: by default the process's.
  func sharedEntry(
    _ key: ObjectIdentifier, in context: DependencyContext?
  ) -> Unmanaged<CacheEntry>? {
    separatesTests ? nil : table(context ?? contextOfProcess.context).find(key)
  }

  /// - Parameters:
  ///   - origin: where the reader was made; it decides where no test runs.
  ///   - purpose: what the value is read for if it is not there yet. It is kept for the other readers
  ///     all the same.
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for origin: IssueOrigin = IssueOrigin(),
    purpose: DependencyValues.Purpose = .use, readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    let id = ObjectIdentifier(key)
    while true {
      let entry =
        find(id, in: context, for: origin)
        ?? Making.perform(at: place(of: id, in: context, for: origin), patience: patience) {
          // Another thread may have made it before this one's turn came.
          find(id, in: context, for: origin)
            ?? make(key, in: context, for: origin, purpose: purpose, readAt: location)
        } giveUp: {
          LateValue(key: key, patience: patience, location: location).report(from: origin)
        }
      // Right, because an entry is filed under the key whose value it holds.
      if let entry { return unsafeDowncast(entry, to: CachedValue<Key.Value>.self) }
    }
  }

  private func place(
    of key: ObjectIdentifier, in context: DependencyContext, for origin: IssueOrigin
  ) -> Making.Place {
    Making.Place(
      cache: ObjectIdentifier(self), test: separatesTests ? Self.test(of: origin) : nil, key: key,
      context: context)
  }

  func find(
    _ key: ObjectIdentifier, in context: DependencyContext, for origin: IssueOrigin
  ) -> CacheEntry? {
    guard separatesTests else { return table(context).find(key)?.takeUnretainedValue() }
    let (test, entry) = (Self.test(of: origin), ValuesOfTest.Place(key: key, context: context))
    return ofTests.withLock { $0[test]?.entries[entry] }
  }

  private func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext, for origin: IssueOrigin,
    purpose: DependencyValues.Purpose, readAt location: SourceLocation
  ) -> CacheEntry {
    if separatesTests { TestProcess.complainIfWithoutSupport() }
    // What is made where no test runs belongs to the reader's test as well.
    let made = IssueOrigin.ofEscapedScope.or(origin).withScope {
      Construction.value(of: key, in: context, for: purpose, readAt: location)
    }
    return made.isKept ? insert(made.value, in: context, for: origin) : made.value
  }

  private func insert(
    _ new: CacheEntry, in context: DependencyContext, for origin: IssueOrigin
  ) -> CacheEntry {
    changeValues(for: origin) { values in
      values.noteRead(new)
      return separatesTests ? values.insert(new, in: context) : table(context).insert(new)
    }
  }

  /// Looks at or changes what belongs to the test that reads; `change` runs no foreign code.
  func changeValues<Result>(
    for origin: IssueOrigin, _ change: (inout ValuesOfTest) -> sending Result
  ) -> sending Result {
    let test = separatesTests ? Self.test(of: origin) : nil
    return ofTests.withLock { change(&$0[test, default: ValuesOfTest()]) }
  }

  /// The context that the current test prepared, or the process outside tests.
  func preparedContext(for origin: IssueOrigin) -> DependencyContext? {
    if separatesTests { return ofTests.withLock { $0[Self.test(of: origin)]?.context } }
    let context = contextOfProcess.context
    return context == .detected ? nil : context
  }

  /// Releases the values of a test that has ended.
  func removeValues(of test: RunningTest?) {
    // The values go after the lock is released: their ends may read others.
    _ = ofTests.withLock { $0.removeValue(forKey: test) }
  }

  /// The test that runs, or for a reader that lost it the one that the reader was made in.
  private static func test(of origin: IssueOrigin) -> RunningTest? {
    .current ?? origin.test
  }

  func table(_ context: DependencyContext) -> CacheTable {
    switch context {
    case .live: live
    case .preview: preview
    case .test: test
    }
  }
}

extension ValueCache {
  /// Puts a value where the context's would be kept.
  ///
  /// In previews it takes the place of any other, because they run again and again in one process.
  ///
  /// - Returns: how a value that stays came there; nil where the new one is in its place.
  func prepare(
    _ new: CacheEntry, in context: DependencyContext, by preparation: Preparation,
    for origin: IssueOrigin
  ) -> CacheEntry.Source? {
    guard separatesTests else {
      return table(context).put(new) { Self.canReplace($0, in: context, by: preparation) }?.source
    }
    // Released after the lock is: its end may read other values.
    var replaced: CacheEntry?
    let obstacle = changeValues(for: origin) { values -> CacheEntry? in
      if let earlier = values.entries[ValuesOfTest.Place(key: new.key, context: context)],
        !Self.canReplace(earlier, in: context, by: preparation)
      {
        return earlier
      }
      replaced = values.put(new, in: context)
      return nil
    }
    return withExtendedLifetime(replaced) { obstacle?.source }
  }

  /// Lets values come from another context.
  ///
  /// - Returns: what stands in the way; nil where the context is the new one.
  func prepare(
    _ context: DependencyContext, by preparation: Preparation, for origin: IssueOrigin
  ) -> CacheEntry.Source? {
    let obstacle = changeValues(for: origin) { $0.prepare(context, in: preparation) }
    if !separatesTests, obstacle == nil { contextOfProcess.change(to: context) }
    return obstacle
  }

  /// A value of which a part is about to be changed: the cached one, otherwise one that is made for
  /// this and not kept, because that is no read.
  func valueToPrepare<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for origin: IssueOrigin,
    readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    guard let entry = find(ObjectIdentifier(key), in: context, for: origin) else {
      return Construction.value(of: key, in: context, for: .update, readAt: location).value
    }
    // Right, because an entry is filed under the key whose value it holds.
    return unsafeDowncast(entry, to: CachedValue<Key.Value>.self)
  }

  private static func canReplace(
    _ entry: CacheEntry, in context: DependencyContext, by preparation: Preparation
  ) -> Bool {
    if DependencyContext.isOfPreviews || context == .preview { return true }
    guard case .preparation(let earlier) = entry.source else { return false }
    return earlier === preparation
  }
}
#endif
