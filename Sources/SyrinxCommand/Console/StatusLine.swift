import SpeechClient

/// The last line of a terminal, which is written again and again.
struct StatusLine {
  private var shown = ""
  private let isStyled: Bool

  /// - Parameter isStyled: whether the terminal can dim, and clear the rest of a line: nobody has
  ///   to know then how wide what was there is for it.
  init(isStyled: Bool = false) {
    self.isStyled = isStyled
  }

  /// What to write so that `text` is the line; it is cut to the terminal's width.
  mutating func show(_ text: String, columns: Int) -> String {
    show(String(text.prefix(columns: columns - 1)), dimmed: 0)
  }

  /// The same for a text whose end matters most, and of which the tail, dim, may still change.
  mutating func show(_ stable: String, tail: String, columns: Int) -> String {
    let text = [stable, tail].joinedAsWritten.suffix(columns: max(1, columns - 1))
    return show(String(text), dimmed: isStyled ? min(tail.count, text.count) : 0)
  }

  /// What to write so that the line is gone and another text can take its place.
  mutating func clear() -> String {
    shown.isEmpty ? "" : show("", dimmed: 0) + "\r"
  }

  /// What to write so that the line stays and the next text begins below it.
  mutating func keep() -> String {
    guard !shown.isEmpty else { return "" }
    shown = ""
    return "\n"
  }

  private mutating func show(_ line: String, dimmed: Int) -> String {
    defer { shown = line }
    let tail = dimmed > 0 ? "\u{1B}[2m\(line.suffix(dimmed))\u{1B}[0m" : ""
    return "\r" + line.dropLast(dimmed) + tail + rest(beyond: line)
  }

  /// What leaves nothing of the line before behind a new one.
  private func rest(beyond line: String) -> String {
    guard !isStyled else { return "\u{1B}[K" }
    return String(repeating: " ", count: max(0, shown.columns - line.columns))
  }
}
