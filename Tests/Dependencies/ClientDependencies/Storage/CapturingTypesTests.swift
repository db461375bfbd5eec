import Testing

@testable import ClientDependencies

@Suite struct CapturingTypesTests {
  let types = ScopeCapturingTypes()

  @Test func `the first object of a type is inspected for all`() {
    #expect(types.capture(Reading()) { true })
    #expect(!types.capture(Plain()) { false })
    #expect(types.capture(Reading()) { false })
    #expect(!types.capture(Plain()) { true })
  }

  @Test func `a subclass is inspected separately`() {
    #expect(!types.capture(Plain()) { false })
    #expect(types.capture(PlainThatReads()) { true })
    #expect(!types.capture(Plain()) { true })
  }
}

private final class Reading {}
private class Plain {}
private final class PlainThatReads: Plain {}
