import Testing

@testable import ClientDependencies

/// Preparations in a process without tests, and in a process with tests.
@Suite struct ValueCachePreparationTests {
  private let preparation = Preparation(at: .here)

  private func prepare(
    _ number: Int, in cache: ValueCache, by preparation: Preparation,
    context: DependencyContext = .live
  ) -> CachedValueSource? {
    cache.prepare(NumberKey.self, number, in: context, by: preparation, for: IssueOrigin())
  }

  private func number(in cache: ValueCache, context: DependencyContext = .live) -> Int {
    cache.value(of: NumberKey.self, in: context, readAt: .here).value
  }

  @Test(arguments: [true, false])
  func `one prepareDependencies call may set a value twice, but a later call may not replace it`(
    separatesTests: Bool
  ) {
    let cache = ValueCache(separatesTests: separatesTests)
    #expect(prepare(10, in: cache, by: preparation) == nil)
    #expect(prepare(11, in: cache, by: preparation) == nil)
    #expect(number(in: cache) == 11)
    let later = Preparation(at: .here)
    guard case .preparation(let earlier) = prepare(12, in: cache, by: later) else {
      Issue.record("The second preparation was let through.")
      return
    }
    #expect(earlier === preparation)
    #expect(number(in: cache) == 11)
    #expect(number(in: cache, context: .test) == 3)
  }

  @Test(arguments: [true, false])
  func `a value that has been read can no longer be prepared, except in previews`(
    separatesTests: Bool
  ) {
    let cache = ValueCache(separatesTests: separatesTests)
    #expect(number(in: cache) + number(in: cache, context: .preview) == 3)
    #expect(prepare(10, in: cache, by: preparation) != nil)
    #expect(prepare(10, in: cache, by: preparation, context: .preview) == nil)
    #expect(number(in: cache) == 1)
    #expect(number(in: cache, context: .preview) == 10)
  }

  @Test(arguments: [true, false])
  func `a value that is read only to be prepared is not cached`(separatesTests: Bool) {
    let cache = ValueCache(separatesTests: separatesTests)
    let origin = IssueOrigin()
    let value = cache.valueToPrepare(
      of: NumberKey.self, in: .live, for: origin, readAt: .here
    ).value
    #expect(value == 1)
    #expect(prepare(10, in: cache, by: preparation) == nil)
    let again = cache.valueToPrepare(of: NumberKey.self, in: .live, for: origin, readAt: .here)
    #expect(again.value == 10)
  }

  @Test(arguments: [true, false])
  func `only one preparation can set the context`(separatesTests: Bool) {
    let (cache, origin) = (ValueCache(separatesTests: separatesTests), IssueOrigin())
    #expect(cache.preparedContext(for: origin) == nil)
    #expect(cache.prepare(.preview, by: preparation, for: origin) == nil)
    #expect(cache.prepare(.live, by: preparation, for: origin) == nil)
    #expect(cache.preparedContext(for: origin) == .live)
    #expect(cache.prepare(.preview, by: Preparation(at: .here), for: origin) != nil)
    #expect(cache.preparedContext(for: origin) == .live)
  }

  @Test(arguments: [true, false])
  func `preparing the context after a read has no effect`(separatesTests: Bool) {
    let (cache, origin) = (ValueCache(separatesTests: separatesTests), IssueOrigin())
    #expect(number(in: cache, context: .test) == 3)
    #expect(cache.prepare(.live, by: preparation, for: origin) != nil)
    #expect(cache.preparedContext(for: origin) == nil)
  }
}
