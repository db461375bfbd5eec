public import ClientDependenciesMacros

typealias Fetch = @Sendable (_ id: Int) async throws -> String
typealias Stop = @Sendable () -> Void
typealias Level = @Sendable (Int) -> Double
typealias Find = @Sendable (String) async -> Int?
typealias Parse = @Sendable (_ text: String) throws(ReadError) -> Int
typealias Show = @MainActor (Int) -> Int
typealias Hide = @MainActor @Sendable (_ animated: Bool) throws -> Void
struct Limit: Equatable, Sendable { var count = 0 }

/// A client of whose types the macro sees the names only, functions and others.
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

/// A client that is nothing but names.
@DependencyClient
struct NamesOnly: Sendable {
  var fetch: Fetch
  var stop: Stop
  typealias Local = Shapes.Load
  var load: Local
}

/// A function that everybody can name.
public typealias PublicFetch = @Sendable (_ id: Int) throws -> String
/// A client for everybody.
@DependencyClient
public struct PublicNames: Sendable {
  /// A function for everybody.
  public var fetch: PublicFetch
  /// A property for everybody.
  public var context: DependencyContext
}
