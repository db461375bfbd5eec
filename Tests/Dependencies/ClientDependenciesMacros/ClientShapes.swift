import ClientDependenciesMacros

/// Type aliases of functions, which the macro cannot see.
enum Shapes {
  typealias Play = @Sendable (String) async throws -> Void
  typealias Count = @Sendable () -> Int
  typealias Find = @Sendable (Int, String) async -> String?
  typealias Load = @Sendable (Int) throws -> Int
  typealias Read = @Sendable (Int) async throws(ReadError) -> [UInt8]
  typealias Parse = @Sendable (String) throws(ReadError) -> Int
}

enum ReadError: Error, Equatable, UnimplementedEndpointError {
  case offline
  case unimplemented(_ endpoint: String)
}

@DependencyClient
struct Aliased: Sendable {
  @DependencyEndpoint var play: Shapes.Play
  @DependencyEndpoint var count: Shapes.Count
  @DependencyEndpoint var find: Shapes.Find
  @DependencyEndpoint var load: Shapes.Load
  @DependencyEndpoint var read: Shapes.Read
  @DependencyEndpoint var parse: Shapes.Parse
  @DependencyEndpoint var given: Shapes.Count = { 42 }
  typealias Inner = @Sendable (Int) throws -> Int
  var inner: Inner
}

/// A generic client, which need not be `Sendable`.
@DependencyClient
struct Store<Item> {
  var items: () -> [Item] = { [] }
  var add: (_ item: Item) throws -> Void
  var limit: Int
}

@DependencyClient
private struct PrivateClient {
  fileprivate var call: () -> Int?
}

@DependencyClient
package struct PackageClient: Sendable {
  package var call: @Sendable (_ id: Int) throws -> Int
}

/// A public client.
@DependencyClient
public struct PublicClient: Sendable {
  private var calls: Int = 0
  /// A public endpoint.
  public var call: @Sendable (_ id: Int) throws -> Int
  /// A public property.
  public var others: [String] = []
}

/// Endpoints work without `@DependencyClient`, even in a class.
final class Lone {
  @DependencyEndpoint var call: (_ id: Int) -> Int? = { _ in 3 }
  @DependencyEndpoint var other: () throws -> Int
}

struct Conditional {
  @DependencyClient
  struct Client: Sendable {
    var always: @Sendable () -> Void
    #if os(Linux)
    var linux: @Sendable (_ id: Int) throws -> Int
    var rate: Int
    #else
    var other: @Sendable () -> Void
    #endif
    #if os(Windows)
    var windows: @Sendable () -> Void
    #endif
  }
}

/// The macro does not generate an initializer that the author has written.
@DependencyClient
struct OwnInitializer: Sendable {
  var call: @Sendable () -> Int?
  var name: String

  init(name: String) {
    self.call = { 5 }
    self.name = "own \(name)"
  }
}

func makePrivate() -> Int? { PrivateClient(call: { 3 }).call() }
func makeUnimplementedPrivate() -> Int? { PrivateClient().call() }
