/// The targets that a Package.swift declares, by `.target(name: "X")` and its kin or by helper
/// functions of its own.
enum PackageManifest {
  private static let declarations: Set = [
    "target", "executableTarget", "systemLibrary", "macro", "plugin", "testTarget",
  ]

  /// The folders that the targets of a manifest live in, from the package's root.
  static func folders(in manifest: String) -> Set<String> {
    Set(declaredTargets(in: manifest).map(\.folder))
  }

  /// Every word and string in the declaration of each target, its dependencies among them.
  static func mentions(in manifest: String) -> [String: Set<String>] {
    let constants = constants(in: SwiftTokenizer.tokens(of: manifest))
    let targets = declaredTargets(in: manifest).map { target in
      let mentions = mentions(in: target.tokens)
      return (target.folder, mentions.union(mentions.compactMap { constants[$0] }))
    }
    return Dictionary(targets) { $0.union($1) }
  }

  /// The targets by the constants that stand for them: `let x: Target.Dependency = .target(name: "X")`.
  private static func constants(in tokens: [SwiftToken]) -> [String: String] {
    let middle: [SwiftToken] = [
      .mark(":"), .word("Target"), .mark("."), .word("Dependency"), .mark("="), .mark("."),
      .word("target"), .mark("("), .word("name"), .mark(":"),
    ]
    let found = tokens.indices.compactMap { index -> (String, String)? in
      let declaration = tokens[index...].prefix(middle.count + 3)
      guard declaration.first == .word("let"), declaration.count == middle.count + 3,
        Array(declaration.dropFirst(2).dropLast()) == middle,
        let name = tokens[index + 1].name, case .string(let target)? = declaration.last
      else { return nil }
      return (name, target)
    }
    return Dictionary(found) { $1 }
  }

  private static func mentions(in declaration: ArraySlice<SwiftToken>) -> Set<String> {
    var depth = 0
    var found: Set<String> = []
    for token in declaration.dropFirst() {
      switch token {
      case .mark("("): depth += 1
      case .mark(")"): depth -= 1
      case .word(let text), .string(let text): found.insert(text)
      default: break
      }
      if depth == 0 { break }
    }
    return found
  }

  private static func declaredTargets(
    in manifest: String
  ) -> [(folder: String, tokens: ArraySlice<SwiftToken>)] {
    let tokens = SwiftTokenizer.tokens(of: manifest)
    let helpers = helpers(in: tokens)
    return tokens.indices.compactMap { index in
      let isMember = index > 0 && tokens[index - 1] == .mark(".")
      let folder = declaredFolder(tokens[index...], isMember: isMember, isHelper: helpers.contains)
      return folder.map { ($0, tokens[index...]) }
    }
  }

  /// The functions of the manifest that return a target, and nothing else such as a dependency of
  /// one.
  private static func helpers(in tokens: [SwiftToken]) -> Set<String> {
    Set(
      tokens.indices.compactMap { index in
        guard tokens[index] == .word("func") else { return nil }
        let signature = tokens[(index + 1)...].prefix { $0 != .mark("{") }
        return signature.last == .word("Target") ? signature.first?.name : nil
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

  /// The folder that a declaration names itself; `tokens` begin after its name.
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
