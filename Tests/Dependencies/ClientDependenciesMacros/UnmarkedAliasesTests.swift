import ClientDependenciesMacros
import Dispatch
import Testing

/// Properties whose types are aliases outside of the client are endpoints without an attribute.
@Suite struct UnmarkedAliasesTests {
  private var client: Unmarked { Unmarked(limit: Limit(count: 3), play: { _ in }) }

  @Test func `a property whose type is not a function becomes an ordinary property`() {
    #expect(client.limit == Limit(count: 3))
    #expect(client.otherLimit == Limit())
    #expect(Unmarked(limit: Limit(), otherLimit: Limit(count: 2)) { _ in }.otherLimit.count == 2)
  }

  @Test func `an unimplemented throwing function throws an error that names the function`() async {
    await expectUnimplemented("Unmarked.fetch") {
      await #expect(throws: Unimplemented("Unmarked.fetch")) { try await client.fetch(1) }
    }
    expectUnimplemented("Unmarked.parse") {
      #expect(throws: ReadError.unimplemented("Unmarked.parse")) { try client.parse("a") }
    }
    expectUnimplemented("NamesOnly.load") {
      #expect(throws: Unimplemented("NamesOnly.load")) { try NamesOnly().load(1) }
    }
  }

  @Test func `an aliased function that cannot throw returns a placeholder or its default`() async {
    expectUnimplemented("Unmarked.stop") { client.stop() }
    expectUnimplemented("Unmarked.level") { #expect(client.level(1) == 0) }
    await expectUnimplemented("Unmarked.find") { #expect(await client.find("a") == nil) }
    expectUnimplemented("Unmarked.given") { #expect(client.given(4) == 4) }
  }

  @Test @MainActor func `a main-actor function declared by an alias is called on the main actor`() {
    expectUnimplemented("Unmarked.show") { #expect(client.show(1) == 0) }
    expectUnimplemented("Unmarked.hide") {
      #expect(throws: Unimplemented("Unmarked.hide")) { try client.hide(true) }
    }
  }

  @Test @MainActor func `the parameters of an implementing closure need no type annotations`()
    async throws
  {
    var shown = 0
    let client = Unmarked(
      fetch: { "\($0)" }, stop: {}, limit: Limit(), level: { Double($0 * 2) }, seen: { $0 },
      find: { Int($0) },
      parse: { text throws(ReadError) in
        guard let number = Int(text) else { throw .offline }
        return number
      },
      show: {
        shown += $0
        return shown
      }, hide: { _ in }, given: { Double($0) + 0.5 }, play: { _ in })
    #expect(try await client.fetch(1) == "1")
    #expect(client.level(2) == 4)
    #expect(await client.find("7") == 7)
    #expect(throws: ReadError.offline) { try client.parse("a") }
    #expect(client.show(5) == 5)
    #expect(client.given(1) == 1.5)
  }

  @Test func `a client may implement only some aliased functions`() async throws {
    var client = NamesOnly { "\($0)" }
    #expect(try await client.fetch(2) == "2")
    expectUnimplemented("NamesOnly.stop") { client.stop() }
    client.load = { $0 + 1 }
    #expect(try client.load(1) == 2)
  }

  @Test func `a public client has a public initializer`() throws {
    #expect(try PublicNames(fetch: { "\($0)" }, context: .live).fetch(1) == "1")
    expectUnimplemented("PublicNames.fetch") { _ = try? PublicNames(context: .live).fetch(1) }
  }

  @Test func `a call on another queue fails the test that created the client`() async {
    await expectUnimplemented("Unmarked.stop") {
      let client = client
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "audio").async {
          client.stop()
          continuation.resume()
        }
      }
    }
  }
}
