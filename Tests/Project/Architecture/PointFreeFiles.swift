/// Finds files that are compiled with the trait `PointFreeDependencies` although they should not
/// be.
///
/// With the trait, our own implementation is not compiled: one `#if` encloses the whole file,
/// unless the file is used with and without the trait.
enum PointFreeFiles {
  /// The modules that, with the trait, re-export Point-Free's modules.
  static let modules: Set = [
    "ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesMacrosPlugin",
    "ClientDependenciesTestSupport",
  ]

  /// `PointFree.swift` replaces the other files, and `Exports.swift` re-exports modules that users
  /// need with and without the trait.
  private static let sharedNames: Set = ["Exports.swift", "PointFree.swift"]

  /// Files that are compiled with and without the trait, because our clients' default and live
  /// values use them.
  static let sharedFiles: Set = [
    "Sources/Dependencies/ClientDependencies/CreationScope.swift",
    "Sources/Dependencies/ClientDependencies/Unimplemented.swift",
  ]

  static func unwrapped(in files: [SourceFile]) -> [String] {
    files.filter { file in
      guard let target = file.target, modules.contains(target), file.name.hasSuffix(".swift") else {
        return false
      }
      let isShared = sharedNames.contains(file.name) || sharedFiles.contains(file.path)
      return !isShared && !isWrapped(file.text)
    }.map(\.path)
  }

  /// Returns whether a single `#if` encloses the whole text.
  static func isWrapped(_ text: String) -> Bool {
    let lines = text.split(separator: "\n")
    guard lines.first == "#if !PointFreeDependencies", lines.last == "#endif" else { return false }
    var depth = 1
    for line in lines.dropFirst().dropLast() {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("#if ") { depth += 1 }
      if line.hasPrefix("#endif") { depth -= 1 }
      if depth == 0 || depth == 1 && line.hasPrefix("#else") { return false }
    }
    return depth == 1
  }
}
