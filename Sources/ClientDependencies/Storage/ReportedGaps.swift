#if !PointFreeDependencies
/// The missing values that were reported already, and where: a loop that reads one outside tests
/// would report it without end.
struct ReportedGaps {
  private struct Place: Hashable {
    var gap: Gap
    var key: ObjectIdentifier
    var fileID: String
    var line: UInt
    var column: UInt
  }

  private var places: Set<Place> = []

  // Held for one insertion, at each read of a key that has a gap.
  private static let ofProcess = Lock(ReportedGaps())

  /// Whether a missing value is to be reported: in tests at each read, elsewhere once
  /// at each place.
  static func isNew(_ missing: MissingValue) -> Bool {
    isTesting || ofProcess.withLock { $0.insert(missing) }
  }

  /// - Returns: whether the value's key was not yet missed at its place.
  mutating func insert(_ missing: MissingValue) -> Bool {
    let location = missing.location ?? .ofThisModule
    let place = Place(
      gap: missing.gap, key: ObjectIdentifier(missing.key), fileID: "\(location.fileID)",
      line: location.line, column: location.column)
    return places.insert(place).inserted
  }
}
#endif
