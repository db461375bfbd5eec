/// The columns of a drawing: the characters of each, none for a `-`.
struct DiagramColumns: Equatable {
  private var columns: [[Character]] = []

  init(drawing: String) {
    var group: [Character]?
    for character in drawing {
      switch character {
      case "[": group = []
      case "]":
        columns.append(group ?? [])
        group = nil
      default:
        if group?.append(character) == nil { columns.append(character == "-" ? [] : [character]) }
      }
    }
  }

  var count: Int { columns.count }

  /// The characters of a column; none after the end.
  subscript(column: Int) -> [Character] {
    column < columns.count ? columns[column] : []
  }
}

/// Draws what happens, column by column.
struct DiagramDrawing {
  private(set) var text = ""
  private var column = ""

  mutating func add(_ symbol: String) { column += symbol }

  mutating func endColumn() {
    switch column.count {
    case 0: text += "-"
    case 1: text += column
    default: text += "[\(column)]"
    }
    column = ""
  }
}
