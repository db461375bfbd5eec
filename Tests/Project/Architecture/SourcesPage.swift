/// Compares the page that explains the sources with the existing directories and files.
///
/// In the diagram, every capitalized word is a target or a directory of targets. A path in
/// backticks names a file or a directory.
struct SourcesPage {
  let text: String

  /// The words of the diagram that name a target or a directory of targets: those that are
  /// capitalized, and `syrinx`.
  var diagram: Set<String> {
    let fences = text.split(separator: "```", omittingEmptySubsequences: false)
    guard fences.count == 3 else { return [] }
    return Set(
      fences[1].split(whereSeparator: { !$0.isLetter && !$0.isNumber }).map(String.init)
        .filter { $0.first?.isUppercase == true || $0 == "syrinx" })
  }

  /// The paths in the text, relative to `Sources`, or to the package's root if they begin with
  /// `Tests/`.
  var paths: Set<String> {
    let spans = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    return Set(
      spans.filter { $0.contains("/") && !$0.contains("\n") }
        .map { $0.hasPrefix("Tests/") ? $0 : "Sources/\($0)" })
  }

  /// Returns the faults that the page has for a package with these targets and files.
  func faults(targets: Set<String>, files: Set<String>) -> [String] {
    targets.subtracting(diagram).sorted().map { "the diagram lacks \($0)" }
      + diagram.subtracting(targets).sorted().map { "\($0) is not a target" }
      + paths.sorted().filter { path in !files.contains { $0 == path || $0.hasPrefix(path + "/") } }
      .map { "there is no \($0)" }
  }
}
