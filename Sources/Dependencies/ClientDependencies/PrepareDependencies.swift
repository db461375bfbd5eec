#if !PointFreeDependencies
/// Sets dependencies for the rest of the program, before anything reads them.
///
/// ```swift
/// static func main() async throws {
///   try prepareDependencies {
///     $0.songs = try SongsClient(folder: "songs")
///     $0.player.setVolume = { _ in }
///   }
///   try await Jukebox().play(song)
/// }
/// ```
///
/// Values set here replace the context's values everywhere, even in detached tasks and on other
/// threads; `withDependencies` still overrides them. In a test, they apply only to that test. If
/// you also set the context, set it first, so that the values belong to the new context.
///
/// A value can be prepared once, and only before it is read. Otherwise an issue is reported and the
/// value is unchanged. Within one call, the last assignment counts. In previews, a value may be
/// prepared repeatedly.
///
/// Thread safety: any thread may call it; a concurrent read of a value returns the old or the new
/// value.
///
/// - Parameter updateValues: sets the values. Values set before it throws are kept.
/// - Returns: the closure's result; rethrows its error.
@discardableResult
public func prepareDependencies<R>(
  _ updateValues: (inout DependencyValues) throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) rethrows -> R {
  let preparation = Preparation(
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  var values = DependencyValues._current
  values.setPurpose(.preparation)
  return try Preparation.$current.withValue(preparation) {
    try DependencyValues.$_current.withValue(.current(for: .update)) { try updateValues(&values) }
  }
}

extension DependencyValues {
  /// Stores a value in the cache.
  ///
  /// - Returns: whether the key now has this value.
  func prepare<Key: TestDependencyKey>(
    _ key: Key.Type, _ value: Key.Value, property: StaticString
  ) -> Bool {
    guard let preparation = Preparation.current else { return true }
    let obstacle = scope.cache.prepare(key, value, in: context, by: preparation, for: scope.origin)
    let name = dependencyName(
      of: key, property: property, usedIn: preparation.location.fileID)
    return report(obstacle, name: name, key: key, to: preparation)
  }

  /// Changes the context for values that are created later.
  ///
  /// - Returns: whether the context was changed.
  func prepareContext(_ context: DependencyContext) -> Bool {
    guard let preparation = Preparation.current else { return true }
    let obstacle = scope.cache.prepare(context, by: preparation, for: scope.origin)
    return report(obstacle, name: #"\.context"#, to: preparation)
  }

  private func report(
    _ obstacle: CachedValueSource?, name: String, key: (any TestDependencyKey.Type)? = nil,
    to preparation: Preparation
  ) -> Bool {
    guard let obstacle else { return true }
    LatePreparation(name: name, key: key, obstacle: obstacle, preparation: preparation).report()
    return false
  }
}

/// One call of `prepareDependencies`; the values that it prepares refer to it.
final class Preparation: Sendable {
  /// The call of `prepareDependencies` whose closure is running.
  @TaskLocal static var current: Preparation?

  let location: SourceLocation

  init(at location: SourceLocation) {
    self.location = location
  }
}

/// The issue to report for a value that is prepared too late.
struct LatePreparation {
  /// The dependency's name, as written in `@Dependency(…)`.
  var name: String
  /// The key of the value; nil for the context.
  var key: (any TestDependencyKey.Type)?
  var obstacle: CachedValueSource
  var preparation: Preparation

  func report() {
    IssueOrigin.current.reportIssue(message, at: preparation.location)
  }

  var message: String {
    """
    @Dependency(\(name)) is prepared too late: \(summary), and keeps the value that it has.

    \(keyAndValue)  \(place)
      Prepared anew at: \(text(of: preparation.location))

    Call 'prepareDependencies' once, at the start of the program, before anything reads the dependencies that it \
    sets. To change a value for a part of the program, use 'withDependencies'.
    """
  }

  private var summary: String {
    switch obstacle {
    case .context: "it was read before"
    case .preparation: "it was prepared before"
    }
  }

  private var keyAndValue: String {
    key.map { "  Key: \(fullName(of: $0))\n  Value: \(valueName($0))\n" } ?? ""
  }

  private var place: String {
    switch obstacle {
    case .context(let location): "First read at: \(text(of: location))"
    case .preparation(let earlier): "Prepared at: \(text(of: earlier.location))"
    }
  }

  private func text(of location: SourceLocation) -> String {
    "\(location.fileID):\(location.line)"
  }
}

/// The cached and prepared values of one test, or of the process outside tests.
struct ValuesOfTest {
  struct Place: Hashable {
    var key: ObjectIdentifier
    var context: DependencyContext

    init(_ key: any TestDependencyKey.Type, _ context: DependencyContext) {
      self.key = ObjectIdentifier(key)
      self.context = context
    }
  }

  private(set) var entries: [Place: any CacheEntry] = [:]
  private var firstReadAt: SourceLocation?
  private var preparedContext: (context: DependencyContext, preparation: Preparation)?

  var context: DependencyContext? { preparedContext?.context }

  /// Adds an entry that was created for a reader, unless the place already has an entry.
  mutating func insert(_ new: any CacheEntry, at place: Place) {
    if firstReadAt == nil, case .context(let location) = new.source { firstReadAt = location }
    if entries[place] == nil { entries[place] = new }
  }

  /// Replaces an entry.
  ///
  /// - Returns: the earlier entry, for the caller to release outside the lock.
  mutating func put(_ new: any CacheEntry, at place: Place) -> (any CacheEntry)? {
    entries.updateValue(new, forKey: place)
  }

  /// Changes the context, unless a value has been read or an earlier call has prepared a value.
  ///
  /// - Returns: the source of the value that prevents the change; nil if the context has changed.
  mutating func prepare(
    _ context: DependencyContext, in preparation: Preparation
  ) -> CachedValueSource? {
    if !DependencyContext.isOfPreviews, let obstacle = obstacle(to: preparation) { return obstacle }
    preparedContext = (context, preparation)
    return nil
  }

  private func obstacle(to preparation: Preparation) -> CachedValueSource? {
    guard let earlier = preparedContext?.preparation else {
      return firstReadAt.map { .context(firstReadAt: $0) }
    }
    return earlier === preparation ? nil : .preparation(earlier)
  }
}
#endif
