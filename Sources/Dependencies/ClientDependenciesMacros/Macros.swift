#if !PointFreeDependencies
/// Completes a struct whose properties are the functions of a dependency.
///
/// ```swift
/// @DependencyClient
/// struct AudioPlayerClient: Sendable {
///   var play: @Sendable (_ url: URL) async throws -> Void
///   var isPlaying: @Sendable () -> Bool = { false }
/// }
/// ```
///
/// Each `var` with a function type is an endpoint, as ``DependencyEndpoint(method:)`` makes it. An
/// endpoint without an implementation reports an issue when it is called, which fails the test that
/// read the client, whichever thread calls it. Then it throws `Unimplemented` if it can throw, and
/// otherwise returns the result of its default, or nothing, or nil.
///
/// The struct gets
/// - an initializer without endpoints, so that `AudioPlayerClient()` is wholly unimplemented and
///   serves as `testValue`,
/// - an initializer with all endpoints, for live values,
/// - for each endpoint with argument labels a method that has them: `play(url:)`.
///
/// The initializers have the access level of the struct, or that of its least accessible property.
/// They also take stored properties that are not endpoints, with their initial values as defaults.
/// Properties that are computed, static, lazy, `private` with an initial value, constants with a
/// value, `@Dependency`, or ``DependencyEndpointIgnored()`` are ignored.
///
/// An endpoint needs a default, a closure literal, if it returns a value and cannot throw.
///
/// A type alias of a function type may be declared anywhere. If an initializer gets no value for
/// such a property, it is unimplemented; a call like that in another module requires importing this
/// one. It then reports to the test in which the client was made. If that is made once for all
/// tests (`static let`), mark the property with `@DependencyEndpoint`, so that it reports to the
/// test that reads the client.
@attached(
  member, names: named(init), named(_issueOrigin), named(_initialValue),
  named(_checkIsolation))
@attached(memberAttribute)
public macro DependencyClient() =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyClientMacro")

/// Makes a property with a function type an endpoint: it is unimplemented until it is set.
///
/// `@DependencyClient` attaches it to each function of a client. What it does when it is called
/// without an implementation is described there, except in these cases:
/// - With `throws(MyError)` and no default it throws a ``UnimplementedEndpointError`` if `MyError`
///   is one, or else returns a placeholder, see ``UnimplementedPlaceholder``, or else throws the
///   first case of an error that is `CaseIterable`. If none of this is possible, the process ends
///   with a message, and all tests with it.
/// - With a type alias as its type and no default, the same. A function with `inout` parameters,
///   or a synchronous one of a global actor, needs a default there.
///
/// If the closure's parameters have labels, there is also a method that has them, here
/// `play(url:)`; its issues name the line that called it, those of the closure the endpoint's
/// declaration:
///
/// ```swift
/// @DependencyEndpoint
/// var play: @Sendable (_ url: URL) async throws -> Void
/// ```
///
/// - Parameter method: Another name for that method, to overload one: `@DependencyEndpoint(method:
///   "user") var userByID: (_ id: Int) throws -> User` gives `user(id:)`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEndpointMacro")

/// Excludes a property from `@DependencyClient`.
///
/// The property is neither an endpoint nor a parameter of the initializers, so it needs an initial
/// value.
@attached(peer)
public macro DependencyEndpointIgnored() =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEndpointIgnoredMacro")

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
