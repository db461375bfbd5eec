#if !PointFreeDependencies
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
