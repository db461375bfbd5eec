/// The right side of a rule of a JSGF grammar.
package indirect enum JSGFExpansion: Equatable {
  case word(String, line: Int)
  case rule(String, line: Int)
  case sequence([JSGFExpansion])
  case choice([JSGFExpansion])
  /// `*`, or `+` if it is said at least once: the sentences are unlimited.
  case repetition(JSGFExpansion, isRequired: Bool, line: Int)
}

extension JSGFExpansion {
  /// A rule's name without its grammar's.
  package static func unqualified(_ rule: String) -> String {
    rule.split(separator: ".").last.map(String.init) ?? rule
  }
}
