/// Finds the modules that a source imports, however it spells that.
enum ImportScanner {
  private static let kinds: Set = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor", "macro",
  ]

  static func modules(in source: String) -> Set<String> {
    let tokens = SwiftTokenizer.tokens(of: source)
    return Set(
      tokens.indices.compactMap { index in
        tokens[index] == .word("import") ? module(importedAt: index, in: tokens) : nil
      })
  }

  private static func module(importedAt index: Int, in tokens: [SwiftToken]) -> String? {
    // `x.import` is a member.
    if index > 0, tokens[index - 1] == .mark(".") { return nil }
    var following = tokens[(index + 1)...]
    if case .word(let kind) = following.first, kinds.contains(kind) { following.removeFirst() }
    guard let module = following.popFirst()?.name else { return nil }
    // `func f(import name: String)` has an argument label.
    return following.first == .mark(":") ? nil : module
  }
}
