@testable import ClientDependencies

extension SourceLocation {
  /// Some place.
  static let here = SourceLocation(fileID: #fileID, filePath: #filePath, line: 1, column: 1)
}
