/// The program that has a device for itself.
public struct DeviceHolder: Hashable, Sendable {
  /// The program's name, as the system shows it.
  public let name: String

  /// The number of its process.
  public let processID: Int32

  /// Describes a program.
  public init(name: String, processID: Int32) {
    self.name = name
    self.processID = processID
  }
}

extension DeviceHolder: CustomStringConvertible {
  /// The name and the process.
  public var description: String { "\(name) (process \(processID))" }
}
