#if !PointFreeDependencies
/// A key lacks the value that its context asks for, and another one stands in.
@usableFromInline
enum Gap: Sendable {
  /// The test value is used where a live one was wanted.
  case liveValue
  /// The preview value, by default the live one, is used where a test one was wanted.
  case testValue
}

/// The issue of a missing value, as text for people.
struct MissingValue {
  var gap: Gap
  var key: any TestDependencyKey.Type
  var property: StaticString = ""
  /// Nil where code asks the key itself, which does not learn who asks.
  var location: SourceLocation?

  func report(from origin: IssueOrigin = .current) {
    let location = location ?? .ofThisModule
    origin.reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  var message: String {
    """
    \(summary)

    \(readAt)  Key: \(keyName)
      Value: \(valueName(key))

    \(advice)
    """
  }

  private var readAt: String {
    location.map { "  Read at: \($0.fileID):\($0.line)\n" } ?? ""
  }

  private var summary: String {
    switch gap {
    case .liveValue: "@Dependency(\(name)) has no live value: its test value is used."
    case .testValue:
      """
      @Dependency(\(name)) has no test value: this test uses what previews use, by default the live value.
      """
    }
  }

  private var advice: String {
    switch gap {
    case .liveValue:
      """
      Import the module that gives it one, conform '\(keyName)' to 'DependencyKey', or override the value with \
      'withDependencies'.
      """
    case .testValue:
      """
      Override it in the test with 'withDependencies', or give '\(keyName)' a 'testValue' of its own.
      """
    }
  }

  private var keyName: String { String(reflecting: key) }

  private var name: String {
    dependencyName(of: key, property: property, usedIn: location?.fileID ?? "")
  }
}

/// The type of a key's values.
func valueName<Key: TestDependencyKey>(_ key: Key.Type) -> String {
  String(reflecting: Key.Value.self)
}

/// A property's name where the key is used through one, otherwise the key.
///
/// - Parameter property: what `#function` gives, in which functions have parentheses, and in top-level
///   code the module's name stands.
func dependencyName(
  of key: any TestDependencyKey.Type, property: StaticString, usedIn fileID: StaticString
) -> String {
  let (property, module) = ("\(property)", "\(fileID)".prefix { $0 != "/" })
  let isProperty = !property.isEmpty && !property.contains("(") && property != module
  return isProperty ? "\\.\(property)" : "\(key).self"
}

extension SourceLocation {
  /// The place that stands for one which is not known.
  static let ofThisModule = SourceLocation(
    fileID: #fileID, filePath: #filePath, line: #line, column: #column)
}
#endif
