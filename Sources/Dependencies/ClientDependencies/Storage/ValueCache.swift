#if !PointFreeDependencies
/// The cached values: one for each key and context, and in test processes for each test.
///
/// A value is made once. No lock is held during construction, which may read other values, even on
/// other threads. Readers of the same value wait for it; see `PendingValue` for the exceptions.
final class ValueCache: Sendable {
  /// The default cache of scopes, for the life of the process.
  static let ofProcess = ValueCache()
  /// The same without reference counting, for readers.
  static let ofProcessForReaders = Unmanaged.passUnretained(ofProcess)

  let separatesTests: Bool
  /// How long a reader waits for another construction of the same value.
  private let constructionTimeout: Duration
  /// The prepared or detected context, outside tests.
  let contextOfProcess = ContextCell(.detected)
  private let live = CacheTable()
  private let preview = CacheTable()
  private let test = CacheTable()
  // Held to look up and to insert. Outside test processes, only the first read of a value uses it.
  private let ofTests = Lock<[RunningTest?: ValuesOfTest]>([:])

  /// - Parameter separatesTests: whether each test has its own values, which costs a lookup of the
  ///   current test.
  init(separatesTests: Bool = isTesting, constructionTimeout: Duration = .seconds(30)) {
    self.separatesTests = separatesTests
    self.constructionTimeout = constructionTimeout
  }

  deinit {
    live.destroy()
    preview.destroy()
    test.destroy()
  }

  /// The entry of a key; nil if that depends on the current test.
  ///
  /// It lives as long as the cache.
  ///
  /// - Parameter context: by default the process's.
  func sharedEntry(
    _ key: ObjectIdentifier, in context: DependencyContext?
  ) -> Unmanaged<CacheEntry>? {
    separatesTests ? nil : table(context ?? contextOfProcess.context).find(key)
  }

  /// - Parameters:
  ///   - origin: the origin of the reader, used outside a running test.
  ///   - purpose: the purpose of the read, if it makes the value. The value is kept in any case.
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for origin: IssueOrigin = IssueOrigin(),
    purpose: DependencyValues.Purpose = .use, readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    let id = ObjectIdentifier(key)
    while true {
      let entry =
        find(id, in: context, for: origin)
        ?? PendingValue.perform(
          in: slot(of: id, in: context, for: origin), timeout: constructionTimeout
        ) {
          // Another thread may have made it in the meantime.
          find(id, in: context, for: origin)
            ?? make(key, in: context, for: origin, purpose: purpose, readAt: location)
        } onTimeout: {
          origin.or(.current).reportIssue(
            """
            The value of '\(key)' is made a second time: another thread has been making it for \
            \(constructionTimeout), and may be waiting for this one. Make the value without \
            waiting for other threads.
            """, at: location)
        }
      // Right, because an entry is stored under the key of its value.
      if let entry { return unsafeDowncast(entry, to: CachedValue<Key.Value>.self) }
    }
  }

  private func slot(
    of key: ObjectIdentifier, in context: DependencyContext, for origin: IssueOrigin
  ) -> PendingValue.Slot {
    PendingValue.Slot(
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
    // A value that is made outside a running test belongs to the reader's test.
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

  /// Reads or changes the values of the reading test.
  ///
  /// `change` runs no foreign code.
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

  /// Releases the values of an ended test.
  func removeValues(of test: RunningTest?) {
    // The values are released after the lock: their `deinit` may read others.
    _ = ofTests.withLock { $0.removeValue(forKey: test) }
  }

  /// The running test, or else the test of the reader's origin.
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
  /// Stores a prepared value for a context.
  ///
  /// In previews it replaces any other value, because previews run repeatedly in one process.
  ///
  /// - Returns: the source of an earlier value that stays; nil if the new value is stored.
  func prepare(
    _ new: CacheEntry, in context: DependencyContext, by preparation: Preparation,
    for origin: IssueOrigin
  ) -> CacheEntry.Source? {
    guard separatesTests else {
      return table(context).put(new) { Self.canReplace($0, in: context, by: preparation) }?.source
    }
    // Released after the lock: its `deinit` may read other values.
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

  /// Changes the context of later values.
  ///
  /// - Returns: the obstacle; nil if the context has changed.
  func prepare(
    _ context: DependencyContext, by preparation: Preparation, for origin: IssueOrigin
  ) -> CacheEntry.Source? {
    let obstacle = changeValues(for: origin) { $0.prepare(context, in: preparation) }
    if !separatesTests, obstacle == nil { contextOfProcess.change(to: context) }
    return obstacle
  }

  /// The value for a partial change: the cached one, or a new one that is not kept, because this is
  /// not a read.
  func valueToPrepare<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for origin: IssueOrigin,
    readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    guard let entry = find(ObjectIdentifier(key), in: context, for: origin) else {
      return Construction.value(of: key, in: context, for: .update, readAt: location).value
    }
    // Right, because an entry is stored under the key of its value.
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
