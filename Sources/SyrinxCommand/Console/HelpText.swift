/// The help of a command on a terminal: usage, examples, and options.
///
/// swift-argument-parser puts the whole discussion first. Its prose is for the manual, which is made
/// from `--experimental-dump-help`.
enum HelpText {
  /// The help that a message of swift-argument-parser holds; any other message stays as it is.
  ///
  /// - Parameter message: the rendered message.
  static func rendered(_ message: String) -> String {
    let paragraphs = message.split(separator: "\n\n")
    guard let overview = paragraphs.first, overview.hasPrefix(overviewTitle),
      let usage = paragraphs.firstIndex(where: { $0.hasPrefix(usageTitle) })
    else { return message }
    let examples = paragraphs[..<usage].filter { $0.hasPrefix("Examples:\n") }
    let words = paragraphs[usage].dropFirst(usageTitle.count).split(whereSeparator: \.isWhitespace)
    let command = words.prefix { $0.first?.isLetter == true }.joined(separator: "-")
    let parts =
      [paragraphs[usage], overview.dropFirst(overviewTitle.count)] + examples
      + paragraphs[(usage + 1)...] + ["For details, see `man \(command)`."]
    return parts.map { $0.hasSuffix("\n") ? $0.dropLast() : $0 }.joined(separator: "\n\n")
  }

  private static let overviewTitle = "OVERVIEW: "
  private static let usageTitle = "USAGE: "
}
