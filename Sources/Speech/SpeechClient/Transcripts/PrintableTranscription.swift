import FilePaths

extension SpeechRecognitionResult {
  /// The result without the control characters that a server or a model may return in words.
  package var printable: Self {
    var result = self
    result.transcriptions = transcriptions.map { $0.printable(keepsBreaks: false) }
    return result
  }
}

extension Transcription {
  /// Returns the transcription without control characters, but with the line breaks of text rules.
  package func printable(keepsBreaks: Bool) -> Transcription {
    guard !segments.allSatisfy(\.substring.isPlain) else { return self }
    var transcription = self
    for index in segments.indices {
      let word = segments[index].substring
      guard !keepsBreaks || !word.allSatisfy({ $0 == "\n" }) else { continue }
      transcription.segments[index].substring = word.unicodeScalars
        .map { Self.orderMarks.contains($0) ? String($0) : String($0).printableLine }.joined()
    }
    return transcription
  }

  /// The marks of text direction, which are kept because Arabic and Hebrew text contains them.
  private static var orderMarks: Set<Unicode.Scalar> { ["\u{200E}", "\u{200F}", "\u{61C}"] }
}
