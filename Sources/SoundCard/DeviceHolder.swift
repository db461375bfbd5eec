/// The program that has a device for itself.
public struct DeviceHolder: Hashable, Sendable {
  /// The program's name, as the system shows it.
  public let name: String

  /// The number of its process.
  public let processID: Int32

  /// Whether it is only the one program that could be it: it has a device that the name may lead
  /// to, and the name does not tell which.
  public let isGuess: Bool

  /// Describes a program.
  public init(name: String, processID: Int32, isGuess: Bool = false) {
    self.name = name
    self.processID = processID
    self.isGuess = isGuess
  }
}

extension DeviceHolder: CustomStringConvertible {
  /// The name and the process.
  public var description: String { "\(name) (process \(processID))" }
}
