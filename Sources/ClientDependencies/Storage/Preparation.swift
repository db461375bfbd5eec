#if !PointFreeDependencies
/// A call of `prepareDependencies`, by which the values that it prepared know each other.
final class Preparation: Sendable {
  /// The call whose closure runs.
  @TaskLocal static var current: Preparation?

  let location: SourceLocation

  init(at location: SourceLocation) {
    self.location = location
  }
}

/// The issue of a value that is prepared too late.
struct LatePreparation {
  /// What was prepared, as its reader names it.
  var name: String
  /// Nil where it was the context.
  var key: (any TestDependencyKey.Type)?
  var obstacle: CacheEntry.Source
  var preparation: Preparation

  func report() {
    let location = preparation.location
    IssueOrigin.current.reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  var message: String {
    """
    @Dependency(\(name)) is prepared too late: \(summary), and keeps the value that it has.

    \(keyAndValue)  \(place)
      Prepared anew at: \(text(of: preparation.location))

    Call 'prepareDependencies' once, at the start of the program, before anything reads the dependencies that it \
    sets. To change a value for a part of the program, use 'withDependencies'.
    """
  }

  private var summary: String {
    switch obstacle {
    case .context: "it was read before"
    case .preparation: "it was prepared before"
    }
  }

  private var keyAndValue: String {
    key.map { "  Key: \(String(reflecting: $0))\n  Value: \(valueName($0))\n" } ?? ""
  }

  private var place: String {
    switch obstacle {
    case .context(let location): "First read at: \(text(of: location))"
    case .preparation(let earlier): "Prepared at: \(text(of: earlier.location))"
    }
  }

  private func text(of location: SourceLocation) -> String {
    "\(location.fileID):\(location.line)"
  }
}
#endif
