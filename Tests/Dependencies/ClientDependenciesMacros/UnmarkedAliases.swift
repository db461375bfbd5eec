public import ClientDependenciesMacros

typealias Fetch = @Sendable (_ id: Int) async throws -> String
typealias Stop = @Sendable () -> Void
typealias Level = @Sendable (Int) -> Double
typealias Find = @Sendable (String) async -> Int?
typealias Parse = @Sendable (_ text: String) throws(ReadError) -> Int
typealias Show = @MainActor (Int) -> Int
typealias Hide = @MainActor @Sendable (_ animated: Bool) throws -> Void
struct Limit: Equatable, Sendable { var count = 0 }

/// A client whose property types are all aliases or structs, which the macro cannot tell apart.
@DependencyClient
struct Unmarked: Sendable {
  var fetch: Fetch
  var stop: Stop
  var limit: Limit
  var level: Level
  var seen: @Sendable (_ id: Int) throws -> Int
  var find: Find
  var parse: Parse
  var show: Show
  var hide: Hide
  var given: Level = { Double($0) }
  var otherLimit: Limit = .init()
  let play: Shapes.Play
}

/// A client whose property types the macro sees only as names.
@DependencyClient
struct NamesOnly: Sendable {
  var fetch: Fetch
  var stop: Stop
  typealias Local = Shapes.Load
  var load: Local
}

/// A public alias of a function type.
public typealias PublicFetch = @Sendable (_ id: Int) throws -> String
/// A public client.
@DependencyClient
public struct PublicNames: Sendable {
  /// A public endpoint.
  public var fetch: PublicFetch
  /// A public property.
  public var context: DependencyContext
}
