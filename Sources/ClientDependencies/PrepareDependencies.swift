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
/// What is set here is seen everywhere, also by detached tasks and other threads, in place of the
/// context's value; `withDependencies` still overrides it. In a test it belongs to that test alone.
/// Where the context is set as well, set it first: the values that follow are those of the new one.
///
/// A value can be prepared once, and only before it is read: otherwise an issue is reported and the
/// value stays as it is. Within one call the last value counts. In previews a value may be prepared
/// again and again.
///
/// Thread safety: it may be called on any thread, but whoever reads a value at the same time gets
/// the old or the new one.
///
/// - Parameter updateValues: sets the values. What it set stays when it throws.
/// - Returns: what the closure returns; throws what it throws.
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
  values.be(for: .preparation)
  return try Preparation.$current.withValue(preparation) {
    try DependencyValues.$_current.withValue(.current(for: .update)) { try updateValues(&values) }
  }
}

extension DependencyValues {
  /// Puts a value into the cache.
  ///
  /// - Returns: whether the key has that value now.
  @usableFromInline
  func prepare<Key: TestDependencyKey>(
    _ key: Key.Type, _ value: Key.Value, property: StaticString
  ) -> Bool {
    guard let preparation = Preparation.current else { return true }
    let entry = CachedValue(value, key: ObjectIdentifier(key), source: .preparation(preparation))
    let obstacle = scope.cache.prepare(entry, in: context, by: preparation, for: scope.origin)
    let name = dependencyName(
      of: key, property: property, usedIn: preparation.location.fileID)
    return report(obstacle, name: name, key: key, to: preparation)
  }

  /// Changes the context in which values are made.
  ///
  /// - Returns: whether it is the new one.
  func prepareContext(_ context: DependencyContext) -> Bool {
    guard let preparation = Preparation.current else { return true }
    let obstacle = scope.cache.prepare(context, by: preparation, for: scope.origin)
    return report(obstacle, name: #"\.context"#, to: preparation)
  }

  private func report(
    _ obstacle: CacheEntry.Source?, name: String, key: (any TestDependencyKey.Type)? = nil,
    to preparation: Preparation
  ) -> Bool {
    guard let obstacle else { return true }
    LatePreparation(name: name, key: key, obstacle: obstacle, preparation: preparation).report()
    return false
  }
}
#endif
