import ClientDependencies
import Testing

@testable import ClientDependenciesTestSupport

@Suite struct CaseIdentitiesTests {
  @Test func `the test case of a test without arguments has no identity`() throws {
    let testCase = try #require(Test.Case.current)
    #expect(CaseIdentities.shared.identity(of: testCase) == nil)
  }

  @Test(arguments: [("one", 1), ("two", 2)])
  func `a test case's identity contains the case's arguments and is stable`(
    name: String, number: Int
  ) throws {
    let testCase = try #require(Test.Case.current)
    let bytes = try #require(CaseIdentities.shared.identity(of: testCase))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(name) && text.contains("\(number)"))
    #expect(bytes == CaseIdentities.shared.identity(of: testCase))
  }

  @Test(arguments: [1, 2])
  func `the description of a recent test case is computed once`(number: Int) throws {
    let testCase = try #require(Test.Case.current)
    let count = LockIsolated(0)
    let identities = CaseIdentities(capacity: 1) { _ in
      count.withValue { $0 += 1 }
      return [UInt8(number)]
    }
    for _ in 0..<3 { #expect(identities.identity(of: testCase) == [UInt8(number)]) }
    #expect(count.value == 1)
  }

  @Test(arguments: [1])
  func `a test case that is not in the cache is described again`(number: Int) throws {
    let testCase = try #require(Test.Case.current)
    let count = LockIsolated(0)
    let identities = CaseIdentities(capacity: 0) { _ in
      count.withValue { $0 += 1 }
      return []
    }
    for _ in 0..<3 { _ = identities.identity(of: testCase) }
    #expect(count.value == 3)
  }
}
