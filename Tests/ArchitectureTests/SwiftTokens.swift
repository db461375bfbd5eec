/// A word, string, or mark of a Swift source, without comments.
enum SwiftToken: Equatable {
  case word(String)
  /// A name in backticks, which is never a keyword.
  case quotedName(String)
  case string(String)
  case mark(Character)

  /// The name in the token, quoted or not.
  var name: String? {
    switch self {
    case .word(let name), .quotedName(let name): name
    case .string, .mark: nil
    }
  }
}

/// Splits Swift source into tokens, just as far as the rules need: comments go, strings stay whole.
struct SwiftTokenizer {
  private var rest: Substring

  static func tokens(of source: String) -> [SwiftToken] {
    var tokenizer = SwiftTokenizer(rest: source[...])
    var tokens: [SwiftToken] = []
    while let token = tokenizer.next() { tokens.append(token) }
    return tokens
  }

  private mutating func next() -> SwiftToken? {
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
      } else if rest.hasPrefix("//") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        skipBlockComment()
      } else {
        return token(startingWith: first)
      }
    }
    return nil
  }

  private mutating func token(startingWith first: Character) -> SwiftToken {
    if let delimiter = stringDelimiter { return .string(string(openedBy: delimiter)) }
    if first == "`" {
      rest.removeFirst()
      let name = String(rest.prefix { $0 != "`" })
      rest = rest.dropFirst(name.count + 1)
      return .quotedName(name)
    }
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard word.isEmpty else {
      rest = rest.dropFirst(word.count)
      return .word(String(word))
    }
    return .mark(rest.removeFirst())
  }

  /// What opens a string here: `"`, `"""` or either with number signs in front.
  private var stringDelimiter: (signs: String, quotes: String)? {
    let signs = String(rest.prefix { $0 == "#" })
    let quoted = rest.dropFirst(signs.count)
    if quoted.hasPrefix(#"""""#) { return (signs, #"""""#) }
    return quoted.hasPrefix("\"") ? (signs, "\"") : nil
  }

  private mutating func string(openedBy opening: (signs: String, quotes: String)) -> String {
    rest = rest.dropFirst(opening.signs.count + opening.quotes.count)
    let end = opening.quotes + opening.signs
    let escape = "\\" + opening.signs
    var text = ""
    while !rest.isEmpty, !rest.hasPrefix(end) {
      // A string of one line ends with it, so that a lone quote in a regular expression hides
      // nothing below.
      if opening.quotes == "\"", rest.first?.isNewline == true { return text }
      if rest.hasPrefix(escape) {
        text += rest.prefix(escape.count)
        rest = rest.dropFirst(escape.count)
        guard !rest.hasPrefix("(") else {
          text += interpolation()
          continue
        }
      }
      if let character = rest.popFirst() { text.append(character) }
    }
    rest = rest.dropFirst(end.count)
    return text
  }

  /// Skips an interpolation, which may contain strings.
  private mutating func interpolation() -> String {
    let start = rest
    var depth = 0
    repeat {
      switch next() {
      case .mark("("): depth += 1
      case .mark(")"): depth -= 1
      case nil: return String(start)
      default: break
      }
    } while depth > 0
    return String(start[..<rest.startIndex])
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if rest.hasPrefix("/*") {
        depth += 1
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("*/") {
        depth -= 1
        rest = rest.dropFirst(2)
      } else {
        rest = rest.dropFirst()
      }
    } while depth > 0 && !rest.isEmpty
  }
}
