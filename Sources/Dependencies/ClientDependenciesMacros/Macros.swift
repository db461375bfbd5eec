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
/// Each `var` with a function type becomes an endpoint; see ``DependencyEndpoint(method:)``.
/// When an endpoint without an implementation is called on any thread, it reports an issue, which
/// fails the test that read the client. Then it throws `Unimplemented` if it can throw, and
/// otherwise returns the result of its default, nothing, or nil.
///
/// The struct gets
/// - an initializer without endpoints, so that `AudioPlayerClient()` is completely unimplemented
///   and serves as `testValue`,
/// - an initializer with all endpoints, for live values,
/// - for each endpoint with argument labels, a method with these labels: `play(url:)`.
///
/// The initializers have the access level of the struct, or of its least accessible property. They
/// also have parameters for stored properties that are not endpoints, with the initial values as
/// defaults. Properties that are computed, static, lazy, `private` with an initial value, constants
/// with a value, `@Dependency`, or ``DependencyEndpointIgnored()`` are ignored.
///
/// An endpoint needs a default, a closure literal, if it returns a value and cannot throw.
///
/// The type of an endpoint may be a type alias, declared anywhere. The initializer without
/// endpoints then has an optional parameter for the endpoint, which is unimplemented if a call
/// omits it; a module with such a call must import `ClientDependenciesMacros`. The endpoint reports
/// issues to the test that created the client. If the client is created once for all tests
/// (`static let`), mark the property with `@DependencyEndpoint`, so that it reports to the test
/// that reads the client.
@attached(
  member, names: named(init), named(_issueOrigin), named(_initialValue),
  named(_checkIsolation))
@attached(memberAttribute)
public macro DependencyClient() =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyClientMacro")

/// Makes a property with a function type an endpoint: it is unimplemented until it is set.
///
/// `@DependencyClient` attaches this macro to each function of a client. Calls without an
/// implementation behave as ``DependencyClient()`` describes, with two exceptions:
/// - With `throws(MyError)` and no default, the call throws an instance of `MyError` if `MyError`
///   conforms to ``UnimplementedEndpointError``. Otherwise the call returns a placeholder (see
///   ``UnimplementedPlaceholder``), or throws the first case of `MyError` if `MyError` is
///   `CaseIterable`. If none of this is possible, the process ends with a message, which ends all
///   tests.
/// - With a type alias and no default, the same applies. A function with `inout` parameters, or a
///   synchronous function of a global actor, then needs a default.
///
/// If the closure's parameters have labels, there is also a method with these labels, here
/// `play(url:)`. An unimplemented call is reported at the caller's line if it uses the method, and
/// at the endpoint's declaration if it uses the closure:
///
/// ```swift
/// @DependencyEndpoint
/// var play: @Sendable (_ url: URL) async throws -> Void
/// ```
///
/// - Parameter method: Another name for that method, to overload an existing method:
///   `@DependencyEndpoint(method: "user") var userByID: (_ id: Int) throws -> User` generates
///   `user(id:)`.
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

/// Registers a dependency and its key with one property.
///
/// ```swift
/// extension DependencyValues {
///   @DependencyEntry(liveValue: DoorbellClient.live)
///   var doorbell = DoorbellClient()
/// }
/// ```
///
/// The initial value is used in tests; it is created separately for each test.
/// The key is hidden unless the property is `public` or `package`. The key of such a property has
/// the property's access level, and a name that derives from the property's written type, or else
/// from its name: `AudioPlayerKey`. If two such properties have the same type, one of them must
/// name its key.
///
/// - Parameter key: The key's name, as a string literal, if the property is `public` or `package`;
///   by default, it derives from the property's type, or else from its name.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry(_ key: String = "") =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key, and its live value with one property.
///
/// See ``DependencyEntry(_:)``. Without an initial value, the live value is used in tests, too, and
/// its use is reported as an issue.
///
/// - Parameters:
///   - key: The key's name if the property is `public` or `package`; by default, it derives from
///     the property's type, or else from its name.
///   - liveValue: The value outside tests, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Live>(_ key: String = "", liveValue: Live) =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key, and its preview value with one property.
///
/// See ``DependencyEntry(_:)``.
///
/// - Parameters:
///   - key: The key's name if the property is `public` or `package`; by default, it derives from
///     the property's type, or else from its name.
///   - previewValue: The value in previews, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Preview>(_ key: String = "", previewValue: Preview) =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Registers a dependency, its key, and all its values with one property.
///
/// See ``DependencyEntry(_:)``.
///
/// - Parameters:
///   - key: The key's name if the property is `public` or `package`; by default, it derives from
///     the property's type, or else from its name.
///   - liveValue: The value outside tests and previews, of the property's type.
///   - previewValue: The value in previews, of the property's type.
@attached(accessor, names: named(get), named(set), named(_modify))
@attached(peer, names: arbitrary)
public macro DependencyEntry<Live, Preview>(
  _ key: String = "", liveValue: Live, previewValue: Preview
) = #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryMacro")

/// Turns a key's static property into a computed property; only the expansion of `@DependencyEntry`
/// uses it.
@attached(accessor, names: named(get))
public macro _DependencyEntryValue() =
  #externalMacro(module: "ClientDependenciesMacrosPlugin", type: "DependencyEntryValueMacro")
#endif
