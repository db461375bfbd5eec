import Synchronization

/// The ID of a playback, for `control`.
public struct PlaybackID: Hashable, Sendable {
  private enum Name: Hashable {
    case number(UInt64)
    case text(String)
  }

  private static let last = Atomic<UInt64>(0)
  private let name: Name

  /// Creates an ID that is unique in this process.
  public init() {
    name = .number(Self.last.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Creates an ID from a name; concurrent playbacks need different ones.
  public init(_ name: String) {
    self.name = .text(name)
  }
}

extension PlaybackID: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch name {
    case .number(let number): "playback \(number)"
    case .text(let text): "\"\(text)\""
    }
  }
}

extension PlaybackID: ExpressibleByStringLiteral {
  /// The literal is the name.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
