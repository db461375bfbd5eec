#if !PointFreeDependencies
/// A key whose value is read while it is being made.
struct ConstructionCycle {
  private let key: any TestDependencyKey.Type
  private let location: SourceLocation?
  /// What is being made between the two reads, the first one first.
  private let members: [Construction]
  private let contexts: Set<DependencyContext>

  /// Nil where the key is not being made in this context by the current task.
  init?(
    of key: any TestDependencyKey.Type, in context: DependencyContext,
    readAt location: SourceLocation?
  ) {
    let running = Construction.running
    guard let first = running.lastIndex(where: { $0.isOf(key) && $0.context == context }) else {
      return nil
    }
    self.key = key
    self.location = location
    members = running[...first].reversed()
    contexts = Set(running.filter { $0.isOf(key) }.map(\.context))
  }

  /// The context whose value breaks the cycle: the first that is not being made as well.
  var substitute: DependencyContext? {
    [.test, .preview, .live].first { !contexts.contains($0) }
  }

  func report() {
    guard let location else { return }
    IssueOrigin.current.reportIssue(
      """
      \(summary)

      \(path)

      \(remedy)
      """,
      fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  /// Ends the process, because no value of the key can ever be made.
  func stop() -> Never {
    preconditionFailure(
      """
      The value of a dependency needs itself, and no other value can stand in: \(names)

      \(path)

      \(advice)
      """)
  }

  private var summary: String {
    "The value of a dependency needs itself: \(names)"
  }

  private var names: String {
    (members.map(\.key) + [key]).map { "\($0)" }.joined(separator: " → ")
  }

  private var path: String {
    let reads = members.dropFirst().map { ($0.key, Optional($0.location)) } + [(key, location)]
    return reads.map { key, location in
      let place = location.map { "\($0.fileID):\($0.line)" } ?? "an unknown place"
      return "  \(String(reflecting: key)) is read at \(place)"
    }.joined(separator: "\n")
  }

  private var remedy: String {
    let standIn =
      substitute.map { "The \($0) value of '\(key)' stands in for this one read. " } ?? ""
    return standIn + advice
  }

  private var advice: String {
    """
    Read the dependency when an endpoint is called, not while the value is made: move '@Dependency' into the \
    endpoint's closure.
    """
  }
}
#endif
