@_spi(Internals) import ClientDependencies
import Testing

@Suite struct CachedValuesTests {
  @Test func `a released value is created again`() {
    @Dependency(TokenKey.self) var token
    let first = token
    #expect(token === first)
    DependencyValues._current.cachedValues.resetCache()
    #expect(token !== first)
  }

  @Test func `a released value may read another value in its deinit`() {
    let read = Counter()
    withDependencies {
      $0 = DependencyValues()
      $0[ReadKey.self] = read
    } operation: {
      @Dependency(LastWordKey.self) var lastWord
      _ = lastWord
      DependencyValues._current.cachedValues.resetCache()
    }
    #expect(read.count == 1)
  }
}

private final class Token: Sendable {}

private enum TokenKey: TestDependencyKey {
  static var testValue: Token { Token() }
}

private enum ReadKey: TestDependencyKey {
  static var testValue: Counter { Counter() }
}

/// An object whose `deinit` reads a dependency that has not been read before.
private final class LastWord: Sendable {
  deinit {
    @Dependency(TokenKey.self) var token
    @Dependency(ReadKey.self) var read
    _ = token
    read.increment()
  }
}

private enum LastWordKey: TestDependencyKey {
  static var testValue: LastWord { LastWord() }
}
