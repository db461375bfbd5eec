import SpeechClient

/// The stable words that a client has got, which are never taken back.
///
/// The client appends each text to the previous ones.
struct SentWords {
  private var utterance: Int?
  /// The sent words of the utterance, and their number after normalization.
  private var (text, count) = ("", 0)
  /// The last text that was sent.
  private var last = ""

  /// Whether no words were sent.
  var isEmpty: Bool { last.isEmpty }

  /// Returns the text to send for the stable words of a result; nil if there are no new words.
  ///
  /// If earlier words are written differently now, or have been joined or split, the words are
  /// counted after normalization.
  mutating func add(_ result: SpeechRecognitionResult) -> String? {
    if utterance != result.utterance { (utterance, text, count) = (result.utterance, "", 0) }
    let words = result.stablePrefix.segments.map(\.substring)
    let new = words.joinedAsWritten
    let normalized = WordNormalization.spoken.words(of: words)
    guard !text.hasPrefix(new), normalized.count >= count else { return nil }
    var addition = String(new.dropFirst(text.count))
    if text.isEmpty || !new.hasPrefix(text) {
      addition = words.dropFirst(count > 0 ? normalized[count - 1].end : 0).joinedAsWritten
      addition = last.separator(before: addition) + addition
    }
    (text, count) = (new, normalized.count)
    guard !addition.isEmpty else { return nil }
    last = addition
    return addition
  }
}
