#if !PointFreeDependencies
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
/// Thread safety: a closure waits while another one has the generator; it must not ask for the
/// generator again.
public final class WithRandomNumberGenerator: Sendable {
  private let generator: Lock<any RandomNumberGenerator>

  /// Lends the given generator.
  public init<T: RandomNumberGenerator & Sendable>(_ generator: T) {
    self.generator = Lock(generator)
  }

  /// Runs the closure with the generator.
  ///
  /// - Returns: what the closure returns.
  public func callAsFunction<R>(_ work: (inout any RandomNumberGenerator) -> R) -> R {
    generator.withLock { generator in
      // Right, because the result never leaves the caller, who made the closure.
      nonisolated(unsafe) let result = work(&generator)
      return result
    }
  }
}
#endif
