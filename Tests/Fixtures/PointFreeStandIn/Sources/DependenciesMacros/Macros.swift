@_exported import IssueReporting

// These declarations only let other modules re-export this module: the plug-in that would expand
// the macros is missing.

/// Adds a client's initializer, and marks its endpoints.
@attached(member, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() =
  #externalMacro(module: "DependenciesMacrosPlugin", type: "DependencyClientMacro")

/// Adds the accessors of an endpoint.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "DependenciesMacrosPlugin", type: "DependencyEndpointMacro")
