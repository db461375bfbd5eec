/// Rows of text in columns.
struct TextTable {
  let titles: [String]
  /// As many texts in each row as there are titles.
  let rows: [[String]]

  /// The line of titles, and a line for each row.
  var lines: [String] {
    // Columns without an entry would only take room.
    let shown = titles.indices.filter { index in rows.contains { !$0[index].isEmpty } }
    let columns = shown.map { index in column([titles[index]] + rows.map { $0[index] }) }
    return (0...rows.count).map { line in
      let text = columns.map { $0[line] }.joined(separator: "  ")
      return String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
    }
  }

  private func column(_ texts: [String]) -> [String] {
    let width = texts.map(\.count).max() ?? 0
    return texts.map { $0.padded(to: width) }
  }
}
