import Testing

@testable import ClientDependenciesTestSupport

@Suite struct RecentCasesTests {
  @Test(arguments: [1, 2])
  func `the identity of a case is made once while it is among the last ones`(number: Int) throws {
    let testCase = try #require(Test.Case.current)
    let recent = RecentCases(capacity: 1)
    var made = 0
    for _ in 0..<3 {
      let identity = recent.identity(of: testCase) { _ in
        made += 1
        return [UInt8(number)]
      }
      #expect(identity == [UInt8(number)])
    }
    #expect(made == 1)
  }

  @Test func `a case that is no longer among the last ones is made anew`() throws {
    let testCase = try #require(Test.Case.current)
    let recent = RecentCases(capacity: 0)
    var made = 0
    for _ in 0..<3 {
      _ = recent.identity(of: testCase) { _ in
        made += 1
        return []
      }
    }
    #expect(made == 3)
  }
}
