/// The targets that a Package.swift declares, by `.target(name: "X")` and its kin or by helper
/// functions of its own.
enum PackageManifest {
  private static let declarations: Set = [
    "target", "executableTarget", "systemLibrary", "macro", "plugin", "testTarget",
  ]

  /// The folders that the targets of a manifest live in, from the package's root.
  static func folders(in manifest: String) -> Set<String> {
    let tokens = SwiftTokenizer.tokens(of: manifest)
    let helpers = Set(
      zip(tokens, tokens.dropFirst()).compactMap { $0 == .word("func") ? $1.name : nil })
    return Set(
      tokens.indices.compactMap { index in
        declaredFolder(tokens[index...], isMember: index > 0 && tokens[index - 1] == .mark(".")) {
          helpers.contains($0)
        }
      })
  }

  private static func declaredFolder(
    _ tokens: ArraySlice<SwiftToken>, isMember: Bool, isHelper: (String) -> Bool
  ) -> String? {
    var tokens = tokens
    guard case .word(let function) = tokens.popFirst(), tokens.popFirst() == .mark("(") else {
      return nil
    }
    guard isMember ? declarations.contains(function) : isHelper(function) else { return nil }
    if isMember, tokens.popFirst() != .word("name") || tokens.popFirst() != .mark(":") {
      return nil
    }
    guard case .string(let name) = tokens.popFirst(), !name.contains("\\") else { return nil }
    if let path = path(in: tokens) { return path }
    return switch function {
    case "sample": "Samples/\(name)"
    case "tests": "Tests/\(name)Tests"
    case "testTarget": "Tests/\(name)"
    case "plugin": "Plugins/\(name)"
    default: "Sources/\(name)"
    }
  }

  /// The folder that a declaration names itself; `tokens` begin behind its name.
  private static func path(in tokens: ArraySlice<SwiftToken>) -> String? {
    var depth = 1
    for (index, token) in zip(tokens.indices, tokens) where depth > 0 {
      if token == .mark("(") { depth += 1 }
      if token == .mark(")") { depth -= 1 }
      guard depth == 1, token == .word("path"), index + 2 < tokens.endIndex else { continue }
      if case .string(let path) = tokens[index + 2] { return path }
    }
    return nil
  }
}
