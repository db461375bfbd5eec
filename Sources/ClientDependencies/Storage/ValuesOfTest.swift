#if !PointFreeDependencies
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
