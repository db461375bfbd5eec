#if !PointFreeDependencies
public import FoundationEssentials
import Glibc

extension DependencyValues {
  /// Generates identifiers: `@Dependency(\.uuid) var uuid`, then `uuid()`.
  ///
  /// A test that reads it without an override gets an issue. `$0.uuid = .incrementing` generates
  /// predictable identifiers.
  public var uuid: UUIDGenerator {
    get { self[UUIDGeneratorKey.self] }
    set { self[UUIDGeneratorKey.self] = newValue }
  }
}

enum UUIDGeneratorKey: DependencyKey {
  static let liveValue = UUIDGenerator { UUID() }
}

/// A generator of identifiers.
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// Generates identifiers with a closure.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// Always generates the same identifier.
  public static func constant(_ uuid: UUID) -> Self {
    Self { uuid }
  }

  /// Generates `UUID(0)`, `UUID(1)`, and so on, with a separate count for each generator.
  public static var incrementing: Self {
    let count = Lock(0)
    return Self {
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      return UUID(number)
    }
  }

  /// Generates an identifier.
  public func callAsFunction() -> UUID {
    generate()
  }
}

extension UUID {
  /// Creates an identifier whose last bytes are a number: `UUID(10)` ends in `00000000000A`.
  ///
  /// - Parameter intValue: any number. For a negative number, the last bytes are the magnitude, and
  ///   the group before them is 1: `UUID(-10)` is `00000000-0000-0001-0000-00000000000A`.
  public init(_ intValue: Int) {
    let number = withUnsafeBytes(of: UInt64(intValue.magnitude).bigEndian) { Array($0) }
    self.init(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, intValue < 0 ? 1 : 0, number[0], number[1], number[2], number[3],
        number[4], number[5], number[6], number[7]
      ))
  }
}

extension DependencyValues {
  /// Runs a closure with a random number generator.
  ///
  /// ```swift
  /// @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
  /// let pick = withRandomNumberGenerator { songs.randomElement(using: &$0) }
  /// ```
  ///
  /// A test that reads it without an override gets an issue. A seeded generator makes numbers
  /// predictable.
  public var withRandomNumberGenerator: WithRandomNumberGenerator {
    get { self[WithRandomNumberGeneratorKey.self] }
    set { self[WithRandomNumberGeneratorKey.self] = newValue }
  }
}

enum WithRandomNumberGeneratorKey: DependencyKey {
  static let liveValue = WithRandomNumberGenerator(SystemRandomNumberGenerator())
}

/// Runs closures with a random number generator, one at a time.
///
/// Thread safety: a closure waits while another closure uses the generator. A nested use is
/// reported as an issue, and the inner closure gets the system's generator.
public final class WithRandomNumberGenerator: Sendable {
  private let generator: Lock<any RandomNumberGenerator>
  /// The thread whose closure uses the generator.
  private let borrower = Lock<pthread_t?>(nil)

  /// Runs closures with the given generator.
  public init<T: RandomNumberGenerator & Sendable>(_ generator: T) {
    self.generator = Lock(generator)
  }

  /// Runs the closure with the generator.
  ///
  /// - Returns: the closure's result; rethrows its error.
  public func callAsFunction<R, Failure: Error>(
    _ work: (inout any RandomNumberGenerator) throws(Failure) -> R
  ) throws(Failure) -> R {
    let thread = pthread_self()
    if borrower.withLock({ $0 == thread }) { return try reportNested(work) }
    return try generator.withLock { generator throws(Failure) in
      borrower.withLock { $0 = thread }
      defer { borrower.withLock { $0 = nil } }
      // Safe, because the result is passed only to the caller, who created the closure.
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
