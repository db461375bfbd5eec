import Testing

@testable import ClientDependenciesTestSupport

@Suite struct CaseIdentityTests {
  @Test func `the only case of a test has no identity of its own`() throws {
    let testCase = try #require(Test.Case.current)
    #expect(CaseIdentity.bytes(of: testCase) == nil)
  }

  @Test(arguments: [("one", 1), ("two", 2)])
  func `a case is told apart by its arguments`(name: String, number: Int) throws {
    let testCase = try #require(Test.Case.current)
    let bytes = try #require(CaseIdentity.bytes(of: testCase))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(name) && text.contains("\(number)"))
    #expect(bytes == CaseIdentity.bytes(of: testCase))
  }

  @Test func `cases differ by encoded arguments and by what tells equal ones apart`() {
    let cases = [
      Case(arguments: ["a", "b"], discriminator: 0), Case(arguments: ["a", "b"], discriminator: 1),
      Case(arguments: ["ab", ""], discriminator: 0), Case(arguments: ["a", "c"], discriminator: 0),
    ]
    #expect(Set(cases.map(CaseIdentity.bytes(reflecting:))).count == cases.count)
    #expect(
      CaseIdentity.bytes(reflecting: cases[0])
        == CaseIdentity.bytes(reflecting: Case(arguments: ["a", "b"], discriminator: 0)))
  }

  @Test func `a case that is laid out in another way is told apart by its description`() {
    struct Other { var text: String }
    #expect(
      CaseIdentity.bytes(reflecting: Other(text: "a"))
        != CaseIdentity.bytes(reflecting: Other(text: "b")))
  }
}

/// Laid out as Swift Testing's cases are.
private struct Case {
  enum Kind {
    case parameterized(arguments: [Argument], discriminator: Int)
  }
  struct Argument {
    struct ID { var bytes: [UInt8] }
    var value: Any
    var id: ID
  }
  var _kind: Kind

  init(arguments: [String], discriminator: Int) {
    _kind = .parameterized(
      arguments: arguments.map { Argument(value: $0, id: .init(bytes: Array($0.utf8))) },
      discriminator: discriminator)
  }
}
