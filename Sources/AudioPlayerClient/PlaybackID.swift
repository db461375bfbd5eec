import Synchronization

/// The name of one playback, for `control`.
public struct PlaybackID: Hashable, Sendable {
  private enum Name: Hashable {
    case number(UInt64)
    case text(String)
  }

  private static let last = Atomic<UInt64>(0)
  private let name: Name

  /// A name that no other playback of this process has.
  public init() {
    name = .number(Self.last.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// A name of your own; two playbacks that sound at the same time need different ones.
  public init(_ name: String) {
    self.name = .text(name)
  }
}

extension PlaybackID: CustomStringConvertible {
  /// A short text for people.
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
