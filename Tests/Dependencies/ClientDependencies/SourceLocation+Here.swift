@testable import ClientDependencies

extension SourceLocation {
  /// An arbitrary location.
  static let here = SourceLocation(fileID: #fileID, filePath: #filePath, line: 1, column: 1)
}
