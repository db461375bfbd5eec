public import Reducers

extension AlertState {
  /// The alert as lines on a screen, with a key for each button.
  public var lines: [String] {
    let keys = buttons.enumerated().map { "[\($0 + 1)] \($1.label)  " }
    let choices = keys.joined() + (buttons.isEmpty ? "[enter] OK" : "[esc] Cancel")
    let text = message.map { $0.description.wrapped(to: 76).map { "  \($0)" } } ?? []
    return ["", "! \(title)"] + text + ["  \(choices)"]
  }

  /// Returns the action of a key while the alert is shown: that of a button, or the dismissal of
  /// the alert.
  public func action(for key: Key) -> PresentationAction<Action>? {
    switch key {
    case .escape, .enter: return .dismiss
    case .character(let digit):
      guard let number = digit.wholeNumberValue, buttons.indices.contains(number - 1) else {
        return nil
      }
      return buttons[number - 1].action.map { .presented($0) } ?? .dismiss
    default: return nil
    }
  }
}

extension String {
  /// Returns the text in lines of at most `width` characters, broken at whitespace; a word that is
  /// longer than `width` is split.
  public func wrapped(to width: Int) -> [String] {
    split(whereSeparator: \.isWhitespace).reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
        return
      }
      var rest = word
      while !rest.isEmpty {
        lines.append(String(rest.prefix(max(1, width))))
        rest = rest.dropFirst(max(1, width))
      }
    }
  }
}
