import Synchronization

/// What a recording that runs can be told.
///
/// It takes effect with the next block of the device; the events say when. Cases are added over
/// time: a `switch` wants a `default`.
public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
  /// Begins now, with the pre-roll, where it waits to begin.
  case start
  /// Leaves out what is heard from now on; the file goes on where it was when it is resumed.
  case pause
  /// Goes on after a pause.
  case resume
  /// Completes the file and goes on in the next one, without losing a frame.
  case roll
  /// Ends it.
  case stop
}

/// The name of a recording, by which it is controlled while it runs.
public struct RecordingID: Hashable, Sendable {
  private enum Name: Hashable {
    case number(Int)
    case text(String)
  }

  private static let lastNumber = Atomic<Int>(0)

  private let name: Name

  /// A name that no other recording of this process has.
  public init() {
    name = .number(Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// A name of your own; one recording at a time can have it.
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
  /// The name for people.
  public var description: String {
    switch name {
    case .number(let number): "recording \(number)"
    case .text(let text): text
    }
  }
}
