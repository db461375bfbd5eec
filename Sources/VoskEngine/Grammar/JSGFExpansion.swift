/// The right side of a rule of a JSGF grammar.
indirect enum JSGFExpansion: Equatable {
  case word(String, line: Int)
  case rule(String, line: Int)
  case sequence([JSGFExpansion])
  case choice([JSGFExpansion])
  /// `*` or `+`: there is no end to what may be said.
  case repetition(line: Int)
}
