#if !PointFreeDependencies
/// The kind of value that a key does not provide and that another value therefore replaces.
enum MissingValueKind: Sendable {
  /// The live value is missing, so the test value is used.
  case liveValue
  /// The test value is missing, so the preview value is used, which defaults to the live value.
  case testValue
}

/// The issue to report for a missing value.
struct MissingValue {
  var gap: MissingValueKind
  var key: any TestDependencyKey.Type
  var property: StaticString = ""
  /// The location of the read; nil for a direct access to the key.
  var location: SourceLocation?

  func report(from origin: IssueOrigin = .current) {
    origin.reportIssue(message, at: location ?? .ofThisModule)
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
      Override it in the test with 'withDependencies', or give '\(keyName)' its own 'testValue'.
      """
    }
  }

  private var keyName: String { fullName(of: key) }

  private var name: String {
    dependencyName(of: key, property: property, usedIn: location?.fileID ?? "")
  }
}

/// Returns the name of the type of a key's values.
func valueName<Key: TestDependencyKey>(_ key: Key.Type) -> String {
  fullName(of: Key.Value.self)
}

/// Returns the name of a type with its module, without the address that a private type's name
/// contains.
func fullName(of type: Any.Type) -> String {
  String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
}

/// Returns the name of the property that uses the key, or else the name of the key.
///
/// `property` is the value of `#function`. It names no property if it contains parentheses, as in a
/// function, or is the module's name, as in top-level code.
func dependencyName(
  of key: any TestDependencyKey.Type, property: StaticString, usedIn fileID: StaticString
) -> String {
  let (property, module) = ("\(property)", "\(fileID)".prefix { $0 != "/" })
  let isProperty = !property.isEmpty && !property.contains("(") && property != module
  return isProperty ? "\\.\(property)" : "\(key).self"
}

extension SourceLocation {
  /// A substitute for an unknown location.
  static let ofThisModule = SourceLocation(
    fileID: #fileID, filePath: #filePath, line: #line, column: #column)
}

/// The reported missing values with their locations, so that a loop outside tests reports each only
/// once.
struct ReportedMissingValues {
  private struct Place: Hashable {
    var gap: MissingValueKind
    var key: ObjectIdentifier
    var fileID: String
    var line: UInt
    var column: UInt
  }

  private var places: Set<Place> = []

  // The lock is held for one insertion whenever a key without a value is read.
  private static let ofProcess = Lock(ReportedMissingValues())

  /// Whether to report a missing value: at each read in tests, once per location elsewhere.
  static func isNew(_ missing: MissingValue) -> Bool {
    isTesting || ofProcess.withLock { $0.insert(missing) }
  }

  /// - Returns: whether this is the first report of the value at its location.
  mutating func insert(_ missing: MissingValue) -> Bool {
    let location = missing.location ?? .ofThisModule
    let place = Place(
      gap: missing.gap, key: ObjectIdentifier(missing.key), fileID: "\(location.fileID)",
      line: location.line, column: location.column)
    return places.insert(place).inserted
  }
}
#endif
