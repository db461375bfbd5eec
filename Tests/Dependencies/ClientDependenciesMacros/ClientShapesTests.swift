import ClientDependenciesMacros
import Testing

@Suite struct ClientShapesTests {
  @Test func `a property whose type is an alias of any function type is an endpoint`() async {
    let client = Aliased()
    await expectUnimplemented("Aliased.play") {
      await #expect(throws: Unimplemented("Aliased.play")) { try await client.play("a") }
    }
    expectUnimplemented("Aliased.count") { #expect(client.count() == 0) }
    await expectUnimplemented("Aliased.find") { #expect(await client.find(1, "a") == nil) }
    expectUnimplemented("Aliased.load") {
      #expect(throws: Unimplemented.self) { try client.load(1) }
    }
    await expectUnimplemented("Aliased.read") {
      await #expect(throws: ReadError.unimplemented("Aliased.read")) { try await client.read(1) }
    }
    expectUnimplemented("Aliased.parse") {
      #expect(throws: ReadError.unimplemented("Aliased.parse")) { try client.parse("a") }
    }
    expectUnimplemented("Aliased.given") { #expect(client.given() == 42) }
  }

  @Test func `a property whose type alias is inside the client needs no @DependencyEndpoint`() {
    var client = Aliased()
    expectUnimplemented("Aliased.inner") {
      #expect(throws: Unimplemented.self) { try client.inner(1) }
    }
    client.inner = { $0 + 1 }
    #expect(throws: Never.self) { try client.inner(1) }
  }

  @Test func `the initializer implements endpoints with aliased types`() async throws {
    let client = Aliased(
      play: { _ in }, count: { 1 }, find: { $1 }, load: { $0 }, read: { _ in [1] },
      parse: { _ throws(ReadError) in throw .offline }, given: { 2 }, inner: { $0 })
    #expect(client.count() == 1)
    #expect(await client.find(1, "a") == "a")
    #expect(throws: ReadError.offline) { try client.parse("") }
  }

  @Test func `a client may be generic and need not be Sendable`() throws {
    var added: [String] = []
    let store = Store<String>(items: { added }, add: { added.append($0) }, limit: 3)
    try store.add(item: "a")
    #expect(store.items() == ["a"])
    expectUnimplemented("Store<Int>.items") { #expect(Store<Int>(limit: 2).items() == []) }
  }

  @Test func `a client's initializers have the client's access level`() throws {
    #expect(makePrivate() == 3)
    expectUnimplemented("PrivateClient.call") { #expect(makeUnimplementedPrivate() == nil) }
    #expect(try PackageClient(call: { $0 }).call(id: 2) == 2)
    #expect(try PublicClient(call: { $0 }, others: ["a"]).call(id: 2) == 2)
  }

  @Test func `a client may be private or nested in a private type`() throws {
    #expect(identifierOfHiddenClient() == "hidden")
    #expect(try callInPlace(id: 1) == 2)
  }

  @Test func `an endpoint works outside of a client`() {
    let lone = Lone()
    expectUnimplemented("Lone.call") { #expect(lone.call(id: 1) == 3) }
    lone.call = { $0 }
    #expect(lone.call(id: 1) == 1)
  }

  @Test func `a client may be declared in a function`() throws {
    @DependencyClient
    struct Local: Sendable {
      var call: @Sendable (_ id: Int) throws -> Int
      var flag: @Sendable () -> Bool = { false }
    }
    expectUnimplemented("Local.flag") { #expect(!Local().flag()) }
    #expect(try Local(call: { $0 }, flag: { true }).call(id: 4) == 4)
  }

  @Test func `members inside #if exist if the condition is true`() throws {
    let client = Conditional.Client(always: {}, linux: { $0 }, rate: 48_000)
    #expect(try client.linux(id: 1) == 1)
    #expect(Conditional.Client(rate: 8_000).rate == 8_000)
  }

  @Test func `an initializer written by the author replaces the generated initializer`() {
    let client = OwnInitializer(name: "n")
    #expect(client.name == "own n")
    #expect(client.call() == 5)
  }
}
