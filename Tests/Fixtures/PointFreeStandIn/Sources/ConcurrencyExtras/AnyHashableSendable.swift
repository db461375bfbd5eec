/// A hashable value of any type that may cross from one isolation to another.
public struct AnyHashableSendable: Hashable, Sendable {
  /// The value.
  public let base: any Hashable & Sendable

  /// Wraps a value.
  public init(_ base: some Hashable & Sendable) {
    self.base = base
  }

  /// Whether the values are equal.
  public static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.base) == AnyHashable(other.base)
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(base)
  }
}
