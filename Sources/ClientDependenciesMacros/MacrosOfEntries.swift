#if !PointFreeDependencies
/// Registers a dependency, its key included, by one property.
///
/// ```swift
/// extension DependencyValues {
///   @DependencyEntry(liveValue: DoorbellClient.live)
///   var doorbell = DoorbellClient()
/// }
/// ```
///
/// The initial value is that of tests. Each value is made anew for each cache, that is, for each
/// test. The key is hidden, unless the property is `public` or `package`: then it has the same
/// access level, and is named for the property's type, if that is written, or for the property:
/// `AudioPlayerKey`. Of two such properties of one type, one needs to name its key.
///
/// - Parameter key: Another name for a key that is not hidden, as a string literal.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry(_ key: String = "") =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key and its live value included, by one property.
///
/// See ``DependencyEntry(_:)``. Without an initial value the live value is used in tests, too,
/// which is reported as an issue.
///
/// - Parameters:
///   - key: Another name for a key that is not hidden.
///   - liveValue: The value outside tests, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Live>(_ key: String = "", liveValue: Live) =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key and its value in previews included, by one property.
///
/// See ``DependencyEntry(_:)``.
///
/// - Parameters:
///   - key: Another name for a key that is not hidden.
///   - previewValue: The value in previews, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Preview>(_ key: String = "", previewValue: Preview) =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key and all its values included, by one property.
///
/// See ``DependencyEntry(_:)``.
///
/// - Parameters:
///   - key: Another name for a key that is not hidden.
///   - liveValue: The value outside tests and previews, of the property's type.
///   - previewValue: The value in previews, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Live, Preview>(
  _ key: String = "", liveValue: Live, previewValue: Preview
) = #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Makes a static property of a key computed; only the expansion of `@DependencyEntry` uses it.
@attached(accessor, names: named(get))
public macro _DependencyEntryValue() =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryValueMacro")
#endif
