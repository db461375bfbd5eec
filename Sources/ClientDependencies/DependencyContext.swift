#if !PointFreeDependencies
/// Which of a key's three values is used where nothing overrides it.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  /// The program at work: ``DependencyKey/liveValue``.
  case live
  /// A preview: ``TestDependencyKey/previewValue``.
  case preview
  /// A test: ``TestDependencyKey/testValue``.
  case test
}
#endif
