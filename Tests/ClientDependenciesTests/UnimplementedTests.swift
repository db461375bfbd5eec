import ClientDependencies
import Testing

@Suite struct UnimplementedTests {
  @Dependency(\.greeter) private var greeter

  @Test func `a throwing endpoint that a test did not override is an issue and throws`() {
    withKnownIssue {
      #expect(throws: Unimplemented("GreeterClient.greet")) { try greeter.greet("Ada") }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'GreeterClient.greet'") == true
    }
  }

  @Test func `another endpoint is an issue and gives its placeholder`() {
    withKnownIssue {
      #expect(greeter.isOpen() == false)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'GreeterClient.isOpen'") == true
    }
  }

  @Test func `an endpoint that a test overrides is no issue`() throws {
    try withDependencies {
      $0.greeter.greet = { $0 }
    } operation: {
      try #expect(greeter.greet("Ada") == "Ada")
    }
  }

  @Test func `the error says what is missing`() {
    #expect("\(Unimplemented("A.b"))" == "Unimplemented: 'A.b'")
  }
}
