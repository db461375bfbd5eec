/// The last line of a terminal, which is written again and again.
struct StatusLine {
  private var shown = ""

  /// What to write so that `text` is the line; it is cut to the terminal's width.
  ///
  /// - Parameter dimmed: how many characters at its end are dim, where it needs no cut.
  mutating func show(_ text: String, columns: Int, dimmed: Int = 0) -> String {
    let line = String(text.prefix(columns: columns - 1))
    defer { shown = line }
    let tail = dimmed > 0 ? "\u{1B}[2m\(line.suffix(dimmed))\u{1B}[0m" : ""
    return "\r" + line.dropLast(dimmed) + tail
      + String(repeating: " ", count: max(0, shown.columns - line.columns))
  }

  /// What to write so that the line is gone and another text can take its place.
  mutating func clear() -> String {
    shown.isEmpty ? "" : show("", columns: 1) + "\r"
  }

  /// What to write so that the line stays and the next text begins below it.
  mutating func keep() -> String {
    guard !shown.isEmpty else { return "" }
    shown = ""
    return "\n"
  }
}
