import Wyoming

/// What a server has said of one utterance so far.
struct TranscriptProgress {
  /// The text: of the chunks, which only append, until the whole is there.
  private(set) var text = ""
  /// Whether the whole text is there.
  private(set) var isComplete = false
  /// What the server says went wrong.
  private(set) var failure: String?

  mutating func take(_ event: WyomingEvent) {
    guard !isOver else { return }
    switch event.type {
    case "transcript-start": text = ""
    case "transcript-chunk": text += event.data["text"]?.string ?? ""
    case "transcript":
      guard let whole = event.data["text"]?.string else {
        failure = "the server sent a transcript without a text"
        return
      }
      text = whole
      isComplete = true
    case "error":
      failure = "the server says: \(event.data["text"]?.string ?? "error")"
    default: break
    }
  }

  /// Whether nothing more is to come.
  var isOver: Bool { isComplete || failure != nil }

  var words: [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}
