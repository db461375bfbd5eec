#if !PointFreeDependencies
public import Foundation
import Synchronization

extension DependencyValues {
  /// What makes identifiers: `@Dependency(\.uuid) var uuid`, then `uuid()`.
  ///
  /// A test that reads it without an override gets an issue; `$0.uuid = .incrementing` gives
  /// identifiers that can be foretold.
  public var uuid: UUIDGenerator {
    get { self[UUIDGeneratorKey.self] }
    set { self[UUIDGeneratorKey.self] = newValue }
  }
}

enum UUIDGeneratorKey: DependencyKey {
  static let liveValue = UUIDGenerator { UUID() }
}

/// What makes identifiers.
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// Makes what the closure returns.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// Makes the same identifier for ever.
  public static func constant(_ uuid: UUID) -> Self {
    Self { uuid }
  }

  /// Makes `UUID(0)`, `UUID(1)` and so on; each generator counts for itself.
  public static var incrementing: Self {
    let sequence = Sequence()
    return Self { UUID(sequence.next()) }
  }

  /// Makes an identifier.
  public func callAsFunction() -> UUID {
    generate()
  }

  private final class Sequence: Sendable {
    private let count = Atomic(0)

    func next() -> Int {
      count.wrappingAdd(1, ordering: .relaxed).oldValue
    }
  }
}

extension UUID {
  /// An identifier whose last bytes are a number: `UUID(10)` ends in `00000000000A`.
  ///
  /// - Parameter intValue: any number. Of a negative one the last bytes are the magnitude, and the
  ///   group before them is 1: `UUID(-10)` is `00000000-0000-0001-0000-00000000000A`.
  public init(_ intValue: Int) {
    let number = withUnsafeBytes(of: UInt64(intValue.magnitude).bigEndian) { Array($0) }
    self.init(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, intValue < 0 ? 1 : 0, number[0], number[1], number[2], number[3],
        number[4], number[5], number[6], number[7]
      ))
  }
}
#endif
