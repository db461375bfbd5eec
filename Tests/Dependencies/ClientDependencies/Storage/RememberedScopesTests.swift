import Testing

@testable import ClientDependencies

@Suite struct RememberedScopesTests {
  let scopes = WeakScopeTable()

  @Test func `an override is released soon after the only object that uses it`() {
    let ends = Counter()
    remember(Plain(), overriding: Handle { ends.increment() })
    #expect(ends.count == 0)
    scopes.sweep()
    #expect(ends.count == 1)
  }

  @Test func `scopes of released objects are removed while other objects live`() {
    let ends = Counter()
    let living = (0..<100).map { _ in Plain() }
    for object in living {
      remember(object, overriding: Handle {})
      remember(Plain(), overriding: Handle { ends.increment() })
    }
    for _ in living { scopes.sweep() }
    #expect(ends.count == 100)
    #expect(living.allSatisfy { scopes.scope(of: $0) != nil })
  }

  @Test func `an override whose deinit creates another object in a scope does not deadlock`() {
    let ends = Counter()
    let scopes = scopes
    remember(
      Plain(),
      overriding: Handle {
        scopes.remember(Plain(), madeIn: DependencyScope())
        scopes.sweep()
        ends.increment()
      })
    scopes.sweep()
    #expect(ends.count == 1)
  }

  @Test func `remembering a second scope for an object has no effect`() {
    let object = Plain()
    let first = Handle {}
    remember(object, overriding: first)
    remember(object, overriding: Handle {})
    #expect(scopes.scope(of: object)?.value(of: HandleKey.self) === first)
  }

  @Test func `an override is released with the last object that captured it`() {
    let ends = Counter()
    do {
      let holder = withDependencies {
        $0[HandleKey.self] = Handle { ends.increment() }
      } operation: {
        Holder()
      }
      #expect(holder.handle === holder.handle && ends.count == 0)
    }
    #expect(ends.count == 1)
  }

  private func remember(_ object: Plain, overriding handle: Handle) {
    scopes.remember(
      object, madeIn: DependencyScope().overriding(HandleKey.self, with: handle))
  }
}

private final class Plain {}

private final class Holder {
  @Dependency(HandleKey.self) var handle
}

private final class Handle: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { end() }
}

private enum HandleKey: TestDependencyKey {
  static var testValue: Handle { Handle {} }
}
