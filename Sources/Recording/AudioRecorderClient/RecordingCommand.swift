import Synchronization

/// A command to a running recording.
///
/// It takes effect with the device's next block; events report when. Cases are added over time: a
/// `switch` needs a `default`.
public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
  /// Begins a waiting recording now, with its pre-roll.
  case start
  /// Omits audio from now on; after `resume` the file continues without a gap.
  case pause
  /// Continues after a pause.
  case resume
  /// Completes the file and continues in the next one without losing frames.
  case roll
  /// Ends the recording.
  case stop
}

/// The ID of a recording, for `control`.
public struct RecordingID: Hashable, Sendable {
  private enum Name: Hashable {
    case number(Int)
    case text(String)
  }

  private static let lastNumber = Atomic<Int>(0)

  private let name: Name

  /// Creates an ID that is unique in this process.
  public init() {
    name = .number(Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Creates an ID from a name; concurrent recordings need different ones.
  public init(_ name: String) {
    self.name = .text(name)
  }
}

extension RecordingID: ExpressibleByStringLiteral {
  /// The literal is the name.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension RecordingID: CustomStringConvertible {
  /// The name for users.
  public var description: String {
    switch name {
    case .number(let number): "recording \(number)"
    case .text(let text): text
    }
  }
}
