import ClientDependencies
import ClientDependenciesMacros
import Testing

/// A client whose observers count replacements of its endpoints.
@DependencyClient
private struct Bell {
  var replacements = 0
  var ring: (_ times: Int) throws -> Void { willSet { replacements += 1 } }
  var isRinging: () -> Bool = { false } { didSet { replacements += 10 } }
}

@Suite struct ObserversTests {
  @Test func `an observer of an endpoint runs when the endpoint is set`() throws {
    var bell = Bell()
    bell.ring = { _ in }
    bell.isRinging = { true }
    try bell.ring(times: 1)
    #expect(bell.isRinging())
    #expect(bell.replacements == 11)
  }
}
