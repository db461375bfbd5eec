import Testing

@testable import ClientDependencies

@Suite struct ScopeTests {
  private let root = Scope(cache: ValueCache())

  @Test func `a scope that grows long keeps every override`() {
    var scope = root.overriding(InterfaceOnlyKey.self, with: "first")
    for number in 0..<(3 * Scope.longestList) {
      scope = scope.overriding(NumberKey.self, with: number)
      #expect(scope.value(of: NumberKey.self) == number)
      #expect(scope.value(of: InterfaceOnlyKey.self) == "first")
      #expect(scope.value(of: LiveOnlyKey.self) == nil)
    }
  }

  @Test func `an inner scope does not change the outer one`() {
    let outer = root.overriding(NumberKey.self, with: 1)
    _ = outer.overriding(NumberKey.self, with: 2)
    #expect(outer.value(of: NumberKey.self) == 1)
  }

  @Test func `a merge keeps both and prefers the first`() {
    let mine = root.overriding(NumberKey.self, with: 1)
    let others = root.overriding(NumberKey.self, with: 2)
      .overriding(InterfaceOnlyKey.self, with: "other").inContext(.live)
    let merged = mine.merged(over: others)
    #expect(merged.value(of: NumberKey.self) == 1)
    #expect(merged.value(of: InterfaceOnlyKey.self) == "other")
    #expect(merged.context == .live)
  }
}
