import Testing

@testable import ClientDependencies

@Suite struct TestProcessTests {
  @Test(arguments: [
    ["x.xctest", "--testing-library", "swift-testing"], ["x", "--testing-library=swift-testing"],
  ])
  func `a process that was asked for Swift Testing is known by its arguments`(arguments: [String]) {
    #expect(TestProcess.asksForSwiftTesting(arguments))
  }

  @Test(arguments: [
    [], ["x.xctest"], ["x.xctest", "--testing-library", "xctest"], ["--testing-library"],
    ["swift-testing"],
  ])
  func `another process is not`(arguments: [String]) {
    #expect(!TestProcess.asksForSwiftTesting(arguments))
  }

  @Test func `these tests run with the product for tests`() {
    #expect(TestFramework.isInstalled)
    #expect(TestProcess.isSwiftTesting)
  }
}
