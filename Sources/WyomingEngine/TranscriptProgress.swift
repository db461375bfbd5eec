import Wyoming

/// The server's transcript of one utterance so far.
struct TranscriptProgress {
  /// The text: the chunks so far, or the whole text.
  private(set) var text = ""
  /// Whether the whole text has arrived.
  private(set) var isComplete = false
  /// The error that the server reported.
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

  /// Whether no more text will come.
  var isOver: Bool { isComplete || failure != nil }

  var words: [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}
