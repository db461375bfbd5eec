import ClientDependenciesMacros

/// A private client with an endpoint and a property that is not an endpoint.
@DependencyClient
private struct HiddenClient: Sendable {
  var fetch: @Sendable (_ id: Int) async throws -> Int
  var identifier: String
}

private enum Place {
  @DependencyClient
  package struct Client: Sendable {
    @DependencyEndpoint package var call: @Sendable (_ id: Int) throws -> Int
  }
}

func identifierOfHiddenClient() -> String { HiddenClient(identifier: "hidden").identifier }
func callInPlace(id: Int) throws -> Int { try Place.Client(call: { $0 + 1 }).call(id: id) }
