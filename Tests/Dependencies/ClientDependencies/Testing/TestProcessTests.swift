import Testing

@testable import ClientDependencies

@Suite struct TestProcessTests {
  @Test(arguments: [
    ["x.xctest", "--testing-library", "swift-testing"], ["x", "--testing-library=swift-testing"],
  ])
  func `a Swift Testing process is recognized by its arguments`(arguments: [String]) {
    #expect(TestProcess.asksForSwiftTesting(arguments))
  }

  @Test(arguments: [
    [], ["x.xctest"], ["x.xctest", "--testing-library", "xctest"], ["--testing-library"],
    ["swift-testing"],
  ])
  func `a process with other arguments is not a Swift Testing process`(arguments: [String]) {
    #expect(!TestProcess.asksForSwiftTesting(arguments))
  }

  @Test func `these tests are linked with the test support product and detect Swift Testing`() {
    #expect(TestFramework.current != nil)
    #expect(TestProcess.isSwiftTesting)
  }
}
