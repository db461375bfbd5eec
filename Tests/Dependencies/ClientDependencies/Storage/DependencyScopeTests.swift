import Testing

@testable import ClientDependencies

@Suite struct DependencyScopeTests {
  private let root = DependencyScope(cache: ValueCache())

  @Test func `an inner scope does not change the outer scope`() {
    let outer = root.overriding(NumberKey.self, with: 1)
    _ = outer.overriding(NumberKey.self, with: 2)
    #expect(outer.value(of: NumberKey.self) == 1)
    #expect(outer.value(of: LiveOnlyKey.self) == nil)
  }

  @Test func `overriding an optional value with nil counts as an override`() {
    let scope = root.overriding(NilKey.self, with: nil)
    #expect(scope.value(of: NilKey.self) == .some(nil))
    #expect(root.value(of: NilKey.self) == nil)
  }

  @Test func `merged scopes keep all overrides, and those of the first scope take precedence`() {
    let mine = root.overriding(NumberKey.self, with: 1)
    var others = root.overriding(NumberKey.self, with: 2)
      .overriding(InterfaceOnlyKey.self, with: "other")
    others.context = .live
    let merged = mine.merged(over: others)
    #expect(merged.value(of: NumberKey.self) == 1)
    #expect(merged.value(of: InterfaceOnlyKey.self) == "other")
    #expect(merged.value(of: LiveOnlyKey.self) == nil)
    #expect(merged.context == .live)
    #expect(DependencyScope().merged(over: mine).value(of: NumberKey.self) == 1)
    #expect(mine.merged(over: DependencyScope()).value(of: NumberKey.self) == 1)
  }

  @Test func `merging a scope over a scope of the same overrides changes nothing`() {
    let scope = root.overriding(NumberKey.self, with: 1)
    let others = [scope, scope.overriding(InterfaceOnlyKey.self, with: "other"), scope.captured]
    let changes = others.map { other in
      var scope = scope
      return scope.merge(over: other)
    }
    #expect(changes == [false, true, true])
  }

  @Test func `merging or overriding a captured scope does not change the scope's test`() {
    let captured = root.overriding(NumberKey.self, with: 1).captured
    let other = DependencyScope(cache: ValueCache()).overriding(NumberKey.self, with: 2)
    for scope in [
      captured.merged(over: other), other.merged(over: captured),
      other.merged(over: root).merged(over: captured),
      captured.overriding(NumberKey.self, with: 3),
    ] {
      #expect(scope.origin.test == RunningTest.current)
    }
  }

  @Test func `a @Dependency created during a construction captures no overrides of the reader`() {
    let reading = root.overriding(NumberKey.self, with: 1)
      .overriding(InterfaceOnlyKey.self, with: "reader").forConstruction
    #expect(reading.value(of: NumberKey.self) == 1)
    let captured = reading.overriding(NumberKey.self, with: 2).captured
    #expect(captured.value(of: NumberKey.self) == 2)
    #expect(captured.value(of: InterfaceOnlyKey.self) == nil)
  }
}

extension DependencyScope {
  func overriding<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) -> Self {
    var scope = self
    scope.override(key, with: value)
    return scope
  }

  fileprivate func merged(over other: DependencyScope) -> Self {
    var scope = self
    _ = scope.merge(over: other)
    return scope
  }
}

private enum NilKey: TestDependencyKey {
  static var testValue: Int? { 1 }
}
