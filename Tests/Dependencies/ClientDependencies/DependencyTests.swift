import ClientDependencies
import Testing

@Suite struct DependencyTests {
  @Dependency(\.number) private var stored

  @Test func `@Dependency accepts a key path from a variable`() {
    let keyPath: any KeyPath<DependencyValues, Int> & Sendable = \.number
    @Dependency(keyPath) var number
    #expect(number == 3)
    withDependencies {
      $0.number = 4
    } operation: {
      #expect(number == 4)
    }
  }

  @Test func `a stored @Dependency reads the value of the current scope`() {
    #expect(stored == 3)
    withDependencies {
      $0.number = 7
    } operation: {
      #expect(stored == 7)
    }
    #expect(stored == 3)
  }

  @Test @MainActor func `a static @Dependency reads the value of the current scope`() {
    #expect(withDependencies({ $0.number = 8 }, operation: { Holder.number }) == 8)
  }

  @Test func `a local @Dependency reads a key that has no property`() {
    @Dependency(NumberKey.self) var number
    #expect(number == 3)
    #expect(withDependencies({ $0[NumberKey.self] = 9 }, operation: { number }) == 9)
  }

  @Test func `a @Dependency can read a single endpoint`() throws {
    @Dependency(\.greeter.greet) var greet
    let greeting = try withDependencies {
      $0.greeter.greet = { "hello \($0)" }
    } operation: {
      try greet("Ada")
    }
    #expect(greeting == "hello Ada")
  }

  @Test func `a @Dependency keeps the overrides of the scope that created it`() {
    let reader = withDependencies {
      $0.number = 5
    } operation: {
      Reading()
    }
    #expect(reader.number == 5)
  }

  @Test func `the current scope takes precedence over the scope that created the @Dependency`() {
    let reader = withDependencies {
      $0.number = 5
      $0.interfaceOnly = "kept"
    } operation: {
      Reading()
    }
    withDependencies {
      $0.number = 6
    } operation: {
      #expect(reader.number == 6)
      #expect(reader.text == "kept")
    }
  }

  @Test func `a @Dependency keeps the context of the scope that created it`() {
    let reader = withDependencies({ $0.context = .preview }, operation: { Reading() })
    #expect(reader.number == 2)
  }

  @Test func `a value created by reading a @Dependency uses that wrapper's overrides`() {
    let reader = withDependencies({ $0.number = 50 }, operation: { SumReading() })
    #expect(reader.sum == 250)
  }

  @Test func `a value created by reading a @Dependency uses that wrapper's context`() {
    let reader = withDependencies({ $0.context = .live }, operation: { SumReading() })
    #expect(reader.sum == 101)
    #expect(SumReading().sum == 203)
  }

  @Test func `a value created by reading one @Dependency is cached for the others`() {
    let reader = withDependencies({ $0.number = 50 }, operation: { SumReading() })
    #expect(reader.sum == 250)
    #expect(SumReading().sum == 250)
  }

  @Test func `a @Dependency in a computed dependency reads the values of the caller's scope`() {
    let reader = withDependencies({ $0.number = 42 }, operation: { ComputedReading() })
    #expect(reader.doubled == 84)
    #expect(reader.tripled == 126)
    withDependencies {
      $0.number = 7
    } operation: {
      #expect(reader.doubled == 14)
    }
    #expect(ComputedReading().doubled == 6)
  }

  @Test func `an optional dependency that is overridden with nil reads as nil`() {
    @Dependency(\.optional) var optional
    #expect(optional == nil)
    #expect(withDependencies({ $0.optional = "some" }, operation: { optional }) == "some")
    withDependencies {
      $0.optional = "some"
    } operation: {
      #expect(withDependencies({ $0.optional = nil }, operation: { optional }) == nil)
    }
  }
}

private struct Reading {
  @Dependency(\.number) var number
  @Dependency(\.interfaceOnly) var text
}

extension DependencyValues {
  fileprivate var doubled: Int {
    @Dependency(\.number) var number
    return number * 2
  }
  fileprivate var tripled: Int { DependencyValues._current.number * 3 }
}

private struct ComputedReading {
  @Dependency(\.doubled) var doubled
  @Dependency(\.tripled) var tripled
}

/// A key whose values are computed from the values of another key.
private enum SumKey: DependencyKey {
  static var liveValue: Int {
    @Dependency(\.number) var number
    return 100 + number
  }
  static var testValue: Int {
    @Dependency(\.number) var number
    return 200 + number
  }
}

private struct SumReading {
  @Dependency(SumKey.self) var sum
}

/// Swift 6 requires an actor for a static wrapper, because it treats the wrapper's storage as a
/// variable.
@MainActor private enum Holder {
  @Dependency(\.number) static var number
}
