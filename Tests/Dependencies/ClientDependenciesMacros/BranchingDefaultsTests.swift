import ClientDependenciesMacros
import Testing

@Suite struct BranchingDefaultsTests {
  private let client = BranchingClient()

  @Test(arguments: [(1, "many"), (0, "none"), (-1, "debt")])
  func `a default may be an if expression`(count: Int, word: String) {
    expectUnimplemented("BranchingClient.choice") { #expect(client.choice(count) == word) }
    expectUnimplemented("BranchingClient.returning") { #expect(client.returning(count) == word) }
    expectUnimplemented("BranchingClient.aliased") { #expect(client.aliased(count) == word) }
  }

  @Test(arguments: [(1, "one"), (0, "other")])
  func `a default may be a switch expression`(count: Int, word: String) {
    expectUnimplemented("BranchingClient.cases") { #expect(client.cases(count) == word) }
    expectUnimplemented("BranchingClient.returningCases") {
      #expect(client.returningCases(count) == word)
    }
  }

  @Test func `a default may depend on the platform`() {
    expectUnimplemented("BranchingClient.platform") { #expect(client.platform(1) == "Linux 1") }
  }

  @Test func `a default may be an if expression that throws`() {
    expectUnimplemented("BranchingClient.throwing") {
      #expect(throws: CancellationError.self) { try client.throwing(0) }
    }
    expectUnimplemented("BranchingClient.throwing") {
      let text = try client.throwing(1)
      #expect(text == "1")
    }
  }

  @Test func `a default that returns nothing may be an if statement`() {
    expectUnimplemented("BranchingClient.nothing") { client.nothing(0) }
  }
}

private typealias Describe = @Sendable (Int) -> String

@DependencyClient
private struct BranchingClient: Sendable {
  var choice: @Sendable (Int) -> String = { count in
    if count > 0 { "many" } else if count == 0 { "none" } else { "debt" }
  }
  var returning: @Sendable (Int) -> String = { count in
    if count > 0 {
      return "many"
    } else {
      if count == 0 { return "none" }
      return "debt"
    }
  }
  @DependencyEndpoint var aliased: Describe = {
    if $0 > 100 {
      preconditionFailure("no test asks for more than 100")
    } else if $0 > 0 {
      "many"
    } else {
      if $0 == 0 { "none" } else { "debt" }
    }
  }
  var cases: @Sendable (Int) -> String = { count in
    switch count {
    case 1: "one"
    default: "other"
    }
  }
  var returningCases: @Sendable (Int) -> String = { count in
    switch count {
    case 1: return "one"
    default: return "other"
    }
  }
  var platform: @Sendable (Int) -> String = { count in
    #if os(Linux)
    "Linux \(count)"
    #else
    if count > 0 { "other" } else { "none" }
    #endif
  }
  var throwing: @Sendable (Int) throws -> String = { count in
    if count > 0 { "\(count)" } else { throw CancellationError() }
  }
  var nothing: @Sendable (Int) -> Void = { count in
    if count > 0 { print(count) }
  }
}
