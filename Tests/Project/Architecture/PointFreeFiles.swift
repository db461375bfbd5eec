/// With the trait `PointFreeDependencies` our own implementation is not compiled: all of a file is
/// inside of one `#if`, unless the file is needed with both.
enum PointFreeFiles {
  /// The modules that re-export Point-Free's with the trait.
  static let modules: Set = [
    "ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesMacrosPlugin",
    "ClientDependenciesTestSupport",
  ]

  /// `PointFree.swift` is what takes the place of the others, and `Exports.swift` re-exports what
  /// users need with both.
  private static let sharedNames: Set = ["Exports.swift", "PointFree.swift"]

  /// What the defaults and the live values of our clients call, with both.
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

  /// Whether the condition opens in the first line and closes in the last one, and not before.
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
