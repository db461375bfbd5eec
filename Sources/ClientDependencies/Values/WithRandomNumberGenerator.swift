#if !PointFreeDependencies
import Foundation

extension DependencyValues {
  /// What lends a random number generator to a closure.
  ///
  /// ```swift
  /// @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
  /// let pick = withRandomNumberGenerator { songs.randomElement(using: &$0) }
  /// ```
  ///
  /// A test that reads it without an override gets an issue; a generator with a seed gives numbers
  /// that can be foretold.
  public var withRandomNumberGenerator: WithRandomNumberGenerator {
    get { self[WithRandomNumberGeneratorKey.self] }
    set { self[WithRandomNumberGeneratorKey.self] = newValue }
  }
}

enum WithRandomNumberGeneratorKey: DependencyKey {
  static let liveValue = WithRandomNumberGenerator(SystemRandomNumberGenerator())
}

/// What lends a random number generator to one closure at a time.
///
/// Thread safety: a closure waits while another one has the generator. It must not ask for the
/// generator again: that is a reported issue, and the inner closure gets the system's generator.
public final class WithRandomNumberGenerator: Sendable {
  private let generator: Lock<any RandomNumberGenerator>
  /// The thread whose closure has the generator.
  private let borrower = Lock<ObjectIdentifier?>(nil)

  /// Lends the given generator.
  public init<T: RandomNumberGenerator & Sendable>(_ generator: T) {
    self.generator = Lock(generator)
  }

  /// Runs the closure with the generator.
  ///
  /// - Returns: what the closure returns; throws what it throws.
  public func callAsFunction<R, Failure: Error>(
    _ work: (inout any RandomNumberGenerator) throws(Failure) -> R
  ) throws(Failure) -> R {
    let thread = ObjectIdentifier(Thread.current)
    if borrower.withLock({ $0 == thread }) { return try reportNested(work) }
    return try generator.withLock { generator throws(Failure) in
      borrower.withLock { $0 = thread }
      defer { borrower.withLock { $0 = nil } }
      // Right, because the result never leaves the caller, who made the closure.
      nonisolated(unsafe) let result = try work(&generator)
      return result
    }
  }

  private func reportNested<R, Failure: Error>(
    _ work: (inout any RandomNumberGenerator) throws(Failure) -> R
  ) throws(Failure) -> R {
    reportIssue(
      """
      @Dependency(\\.withRandomNumberGenerator) was called inside its own closure, which has the \
      generator already; the inner closure got the system's generator. Use the outer closure's.
      """)
    var system: any RandomNumberGenerator = SystemRandomNumberGenerator()
    return try work(&system)
  }
}
#endif
