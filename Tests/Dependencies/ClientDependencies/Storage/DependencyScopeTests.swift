import Foundation
import Testing

@testable import ClientDependencies

@Suite struct DependencyScopeTests {
  private let root = DependencyScope(cache: ValueCache())

  @Test func `a long scope keeps every override`() {
    var scope = root.overriding(InterfaceOnlyKey.self, with: "first")
    for number in 0..<(3 * DependencyScope.longestList) {
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

  @Test func `merging scopes keeps both overrides and prefers the first scope's`() {
    let mine = root.overriding(NumberKey.self, with: 1)
    let others = root.overriding(NumberKey.self, with: 2)
      .overriding(InterfaceOnlyKey.self, with: "other").inContext(.live)
    let merged = mine.merged(over: others)
    #expect(merged.value(of: NumberKey.self) == 1)
    #expect(merged.value(of: InterfaceOnlyKey.self) == "other")
    #expect(merged.context == .live)
  }

  @Test func `the reader's scope takes precedence over the wrapper's`() {
    let captured = root.overriding(NumberKey.self, with: 1)
      .overriding(InterfaceOnlyKey.self, with: "captured")
    let current = DependencyScope(cache: ValueCache()).overriding(NumberKey.self, with: 2)
    let joined = current.joined(to: captured)
    #expect(joined.value(of: NumberKey.self) == 2)
    #expect(joined.value(of: InterfaceOnlyKey.self) == "captured")
    #expect(joined.value(of: LiveOnlyKey.self) == nil)
  }

  @Test func `joining a scope with one that it contains changes nothing`() {
    let captured = root.overriding(NumberKey.self, with: 1)
    let inner = captured.overriding(NumberKey.self, with: 2)
    #expect(inner.joined(to: captured).front === inner.front)
    #expect(inner.joined(to: DependencyScope(front: nil)).front === inner.front)
    #expect(DependencyScope(front: nil).joined(to: captured).front === captured.front)
  }

  @Test func `a joined scope can be joined and extended again`() {
    let scopes = (1...3).map { number in
      DependencyScope(cache: ValueCache()).overriding(NumberKey.self, with: number)
    }
    let lowest = scopes[2].overriding(InterfaceOnlyKey.self, with: "lowest").inContext(.live)
    var joined = scopes[0].joined(to: scopes[1]).joined(to: lowest)
    for number in 0..<(2 * DependencyScope.longestList) {
      #expect(joined.value(of: InterfaceOnlyKey.self) == "lowest")
      #expect(joined.context == .live)
      joined = joined.overriding(LiveOnlyKey.self, with: number)
    }
    #expect(joined.value(of: NumberKey.self) == 1)
  }

  @Test func `a captured scope keeps its test after any change`() {
    let captured = root.overriding(NumberKey.self, with: 1).inTest
    let other = DependencyScope(cache: ValueCache()).overriding(NumberKey.self, with: 2)
    let joinedTwice = other.joined(to: root).joined(to: captured)
    let scopes = [
      captured.inContext(.live), captured.inCache(ValueCache()), captured.folded,
      captured.merged(over: other), other.merged(over: captured), other.joined(to: captured),
      joinedTwice,
    ]
    for scope in scopes { #expect(scope.origin.test == RunningTest.current) }
  }

  @Test func `a hundred thousand nested overrides are released on a small stack`() async {
    let counter = LockIsolated<Counter?>(Counter())
    weak let outermost = counter.value
    let isSeen = await onSmallStack {
      guard let counter = counter.withValue({ $0.take() }) else { return false }
      var scope = DependencyScope(cache: ValueCache()).overriding(CounterKey.self, with: counter)
      for number in 0..<100_000 { scope = scope.overriding(NumberKey.self, with: number) }
      return scope.value(of: CounterKey.self) === counter
    }
    #expect(isSeen)
    #expect(outermost == nil)
  }

  @Test func `nested captured scopes are released on a small stack`() async {
    let isSeen = await onSmallStack {
      var scope = DependencyScope(cache: ValueCache()).overriding(NumberKey.self, with: 1)
      for _ in 0..<100_000 { scope = scope.inTest }
      return scope.value(of: NumberKey.self) == 1
    }
    #expect(isSeen)
  }
}

/// Runs something where deep recursion ends the process.
private func onSmallStack(_ body: @escaping @Sendable () -> Bool) async -> Bool {
  await withCheckedContinuation { waiting in
    let thread = Thread { waiting.resume(returning: body()) }
    thread.stackSize = 128 * 1024
    thread.start()
  }
}

private enum CounterKey: TestDependencyKey {
  static var testValue: Counter { Counter() }
}
