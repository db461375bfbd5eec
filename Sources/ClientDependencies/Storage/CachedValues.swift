#if !PointFreeDependencies
/// The values that contexts gave so far, for code that has to forget them in the middle of a test.
///
/// Most tests need not: with ClientDependenciesTestSupport each one has values of its own.
@_spi(Internals)
public struct CachedValues: Sendable {
  let cache: ValueCache

  /// Releases the values that the running test was given, so that the next read makes them anew.
  ///
  /// Other tests keep theirs; outside test processes values live as long as the process.
  ///
  /// Thread safety: it may be called on any thread, and the values it releases may read others.
  public func resetCache() {
    cache.removeValues(of: .current)
  }
}

extension DependencyValues {
  /// What the contexts gave to the tests that use these dependencies.
  @_spi(Internals)
  public var cachedValues: CachedValues { CachedValues(cache: scope.cache) }
}
#endif
