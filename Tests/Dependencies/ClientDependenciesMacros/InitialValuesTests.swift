public import ClientDependenciesMacros
import Testing

@Suite struct InitialValuesTests {
  @Test func `a public client may have initial values that are not public`() {
    let client = PublicDefaults(call: { _ in })
    #expect(client.count == 42)
    #expect(client.rate == PublicDefaults.standardRate)
    #expect(client.box.value == 3)
    #expect(client.signs == [-1, 1])
    #expect(PublicDefaults(count: 1).count == 1)
    #expect(PublicDefaults(rate: 8_000).rate == 8_000)
  }

  @Test func `a nested or generic client may have initial values that are not public`() {
    #expect(Hidden.Client(call: {}).count == 42)
    #expect(GenericDefaults<String>(call: { _ in }).values == [])
    #expect(PackageDefaults(call: {}).count == 42)
  }

  @Test func `optional properties may be omitted: Value?, Value!, Optional<Value>, and (Value?)`() {
    let client = OptionalsClient(stop: {}, find: { $0 }, look: { nil })
    #expect(client.sugared == nil)
    #expect(client.unwrapped == nil)
    #expect(client.writtenOut == nil)
    #expect(client.inParentheses == nil)
  }

  @Test func `an endpoint with an optional result in any spelling needs no default`() {
    expectUnimplemented("OptionalsClient.find") { #expect(OptionalsClient().find(id: 1) == nil) }
    expectUnimplemented("OptionalsClient.look") { #expect(OptionalsClient().look() == nil) }
  }
}

let internalCount = 42

/// A public client with initial values that are not public.
@DependencyClient
public struct PublicDefaults: Sendable {
  static let standardRate = 48_000

  /// A property whose initial value is internal.
  public var count: Int = internalCount
  /// A property whose initial value is a static member of the client.
  public var rate: Int = Self.standardRate
  /// A property whose initial value is created for each client.
  public var box: Locked = .init(3)
  /// A property whose initial value consists of literals.
  public var signs: [Int] = [-1, 1]
  /// An endpoint.
  public var call: @Sendable (Int) -> Void
}

/// A type whose initializer is internal.
public struct Locked: Sendable {
  /// The value.
  public var value: Int
  init(_ value: Int) { self.value = value }
}

private enum Hidden {
  /// A public client in a private type.
  @DependencyClient
  public struct Client: Sendable {
    /// A property whose initial value is internal.
    public var count: Int = internalCount
    /// An endpoint.
    public var call: @Sendable () -> Void
  }
}

/// A generic client.
@DependencyClient
public struct GenericDefaults<Value> {
  /// A property whose initial value depends on the type parameter.
  public var values: [Value] = Array()
  /// An endpoint.
  public var call: (_ value: Value) -> Void
}

@DependencyClient
package struct PackageDefaults: Sendable {
  package var count: Int = internalCount
  package var call: @Sendable () -> Void
}

@DependencyClient
private struct OptionalsClient: Sendable {
  var sugared: Int?
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var unwrapped: Int!
  var writtenOut: Optional<Int>
  var inParentheses: (Int?)
  var stop: @Sendable () -> Void
  var find: @Sendable (_ id: Int) -> (Int?)
  var look: @Sendable () -> (Optional<Int>)
}
