import ClientDependencies
import Testing

@Suite struct UnimplementedTests {
  @Dependency(\.greeter) private var greeter

  @Test
  func `a call of a throwing endpoint without an override is an issue and throws Unimplemented`() {
    withKnownIssue {
      #expect(throws: Unimplemented("GreeterClient.greet")) { try greeter.greet("Ada") }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'GreeterClient.greet'") == true
    }
  }

  @Test func `a call of an endpoint without an override is an issue and returns the placeholder`() {
    withKnownIssue {
      #expect(greeter.isOpen() == false)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'GreeterClient.isOpen'") == true
    }
  }

  @Test func `a call of an overridden endpoint is not an issue`() throws {
    try withDependencies {
      $0.greeter.greet = { $0 }
    } operation: {
      try #expect(greeter.greet("Ada") == "Ada")
    }
  }

  @Test func `the error of an endpoint names the endpoint`() {
    #expect("\(Unimplemented("A.b"))" == "Unimplemented: 'A.b'")
  }
}
