import Dispatch
import Testing

@testable import ClientDependencies

@Suite struct ValueCacheTests {
  @Test(arguments: [true, false])
  func `a value is created once for each context`(separatesTests: Bool) {
    let cache = ValueCache(separatesTests: separatesTests)
    for context in [DependencyContext.live, .preview, .test, .live, .preview, .test] {
      let first = cache.value(of: IdentityKey.self, in: context, readAt: .here).value
      #expect(cache.value(of: IdentityKey.self, in: context, readAt: .here).value === first)
    }
    #expect(
      cache.value(of: IdentityKey.self, in: .live, readAt: .here).value
        !== cache.value(of: IdentityKey.self, in: .test, readAt: .here).value)
  }

  @Test func `every read in a test returns the same value`() async {
    @Dependency(IdentityKey.self) var identity
    let first = identity
    #expect(identity === first)
    await Task.yield()
    #expect(identity === first)
    async let inChild = identity
    #expect(await inChild === first)
  }

  @Test(arguments: Elsewhere.allCases)
  func `reading a @Dependency outside its test uses that test's cache`(place: Elsewhere) async {
    @Dependency(IdentityKey.self) var identity
    let elsewhere = Recorder<Identity>()
    await place.run { [_identity] in elsewhere.append(_identity.wrappedValue) }
    #expect(elsewhere.all.first === identity)
  }

  @Test func `the values of an ended test are released`() {
    let cache = ValueCache(separatesTests: true)
    weak let kept = cache.value(of: IdentityKey.self, in: .test, readAt: .here).value
    #expect(kept != nil)
    if let test = RunningTest.current { cache.removeValues(of: test) }
    #expect(kept == nil)
  }

  @Test func `the construction of a value may read other values`() {
    @Dependency(OuterKey.self) var outer
    #expect(outer == "outer of inner")
  }

  @Test func `a cached client reads its own dependencies at each call`() throws {
    @Dependency(LateKey.self) var late
    #expect(late.number() == 3)
    withDependencies {
      $0.number = 4
    } operation: {
      #expect(late.number() == 4)
    }
    #expect(late.number() == 3)
  }

  @Test func `new DependencyValues share no cached values`() {
    @Dependency(IdentityKey.self) var identity
    let outside = identity
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      #expect(identity !== outside)
    }
  }
}

private final class Identity: Sendable {}

private enum IdentityKey: DependencyKey {
  static var liveValue: Identity { Identity() }
  static var testValue: Identity { Identity() }
}

func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "thread").async { continuation.resume(returning: body()) }
  }
}

private enum InnerKey: DependencyKey {
  static var liveValue: String { "inner" }
  static var testValue: String { "inner" }
}

private enum OuterKey: DependencyKey {
  static var liveValue: String {
    @Dependency(InnerKey.self) var inner
    return "outer of \(inner)"
  }
  static var testValue: String { liveValue }
}

private struct LateKey: DependencyKey {
  var number: @Sendable () -> Int
  static var liveValue: LateKey {
    @Dependency(\.number) var number
    return LateKey(number: { number })
  }
  static var testValue: LateKey { liveValue }
}
