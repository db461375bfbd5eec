#if !PointFreeDependencies
/// A call of `prepareDependencies`, by which the values that it prepared know each other.
final class Preparation: Sendable {
  /// The call whose closure runs.
  @TaskLocal static var current: Preparation?

  let location: SourceLocation

  init(at location: SourceLocation) {
    self.location = location
  }
}

/// The issue of a value that is prepared too late.
struct LatePreparation {
  /// What was prepared, as its reader names it.
  var name: String
  /// Nil where it was the context.
  var key: (any TestDependencyKey.Type)?
  var obstacle: CacheEntry.Source
  var preparation: Preparation

  func report() {
    let location = preparation.location
    IssueOrigin.current.reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
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
    key.map { "  Key: \(String(reflecting: $0))\n  Value: \(valueName($0))\n" } ?? ""
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

/// What one test was given and prepared; outside test processes, what happened before anything may
/// be prepared no more.
struct ValuesOfTest {
  struct Place: Hashable {
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  private(set) var entries: [Place: CacheEntry] = [:]
  private var firstReadAt: SourceLocation?
  private var preparedContext: (context: DependencyContext, preparation: Preparation)?

  var context: DependencyContext? { preparedContext?.context }

  /// Adds an entry, unless its key has one already.
  ///
  /// - Returns: the entry that the key has now.
  mutating func insert(_ new: CacheEntry, in context: DependencyContext) -> CacheEntry {
    let place = Place(key: new.key, context: context)
    if let earlier = entries[place] { return earlier }
    entries[place] = new
    return new
  }

  /// Replaces an entry.
  ///
  /// - Returns: the entry that was there, which the caller releases.
  mutating func put(_ new: CacheEntry, in context: DependencyContext) -> CacheEntry? {
    entries.updateValue(new, forKey: Place(key: new.key, context: context))
  }

  mutating func noteRead(_ entry: CacheEntry) {
    guard firstReadAt == nil, case .context(let location) = entry.source else { return }
    firstReadAt = location
  }

  /// Changes the context, unless an earlier preparation did or a value was read in the old one.
  ///
  /// - Returns: what stands in the way.
  mutating func prepare(
    _ context: DependencyContext, in preparation: Preparation
  ) -> CacheEntry.Source? {
    if !DependencyContext.isOfPreviews, let obstacle = obstacle(to: preparation) { return obstacle }
    preparedContext = (context, preparation)
    return nil
  }

  private func obstacle(to preparation: Preparation) -> CacheEntry.Source? {
    guard let earlier = preparedContext?.preparation else {
      return firstReadAt.map { .context(firstReadAt: $0) }
    }
    return earlier === preparation ? nil : .preparation(earlier)
  }
}
#endif
