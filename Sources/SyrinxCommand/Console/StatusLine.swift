/// The last line of a terminal, which is written again and again.
struct StatusLine {
  private var shown = ""

  /// What to write so that `text` is the line; it is cut to the terminal's width.
  mutating func show(_ text: String, columns: Int) -> String {
    let line = String(text.prefix(max(0, columns - 1)))
    defer { shown = line }
    return "\r" + line + String(repeating: " ", count: max(0, shown.count - line.count))
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
