import ClientDependenciesMacros
import Testing

/// Labeled `@Sendable` endpoints in structs that are not declared `Sendable`.
@Suite struct SendabilityTests {
  @Test func `a public client need not be Sendable`() throws {
    #expect(try UnsendablePublicClient(call: { $0 }).call(id: 1) == 1)
    expectUnimplemented("UnsendablePublicClient.call") {
      #expect(throws: Unimplemented.self) { try UnsendablePublicClient().call(id: 1) }
    }
  }

  @Test func `a client may contain properties that are not Sendable`() throws {
    let client = UnsendablePropertyClient(box: Box(2), call: { $0 })
    #expect(try client.call(id: 1) == 1)
    #expect(client.box.value == 2)
  }

  @Test func `a generic client need not be Sendable`() throws {
    #expect(try UnsendableGenericClient<Int>(call: { $0 }).call(value: 1) == 1)
  }

  @Test func `an endpoint without @Sendable gets a method with argument labels`() throws {
    #expect(try PlainClient(call: { $0 }).call(id: 1) == 1)
  }

  @Test(arguments: [1, 2]) func `the methods of a Sendable client are Sendable`(id: Int) throws {
    let method: @Sendable (Int) throws -> Int = SendableClient(call: { $0 }).call(id:)
    let unchecked: @Sendable (Int) throws -> Int = UncheckedClient(call: { $0 }).call(id:)
    #expect(try method(id) == id)
    #expect(try unchecked(id) == id)
  }
}

/// A public client, for which the compiler does not infer `Sendable`.
@DependencyClient
public struct UnsendablePublicClient {
  /// A public endpoint.
  public var call: @Sendable (_ id: Int) throws -> Int
}

@DependencyClient
private struct UnsendablePropertyClient {
  var box: Box
  var call: @Sendable (_ id: Int) throws -> Int
}

@DependencyClient
private struct UnsendableGenericClient<Value> {
  var call: @Sendable (_ value: Value) throws -> Value
  var last: Value?
}

@DependencyClient
private struct PlainClient {
  var call: (_ id: Int) throws -> Int
}

@DependencyClient
private struct SendableClient: CustomStringConvertible, Swift.Sendable {
  var call: @Sendable (_ id: Int) throws -> Int
  var description: String { "client" }
}

@DependencyClient
private struct UncheckedClient: @unchecked Sendable {
  var call: @Sendable (_ id: Int) throws -> Int
}
