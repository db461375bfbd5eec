import SpeechClient

/// Where results go: what is said for good into a transcript, what is still volatile to people who
/// watch, or, as JSON, into the transcript as well.
struct TranscriptReport {
  private var text: TranscriptText
  private let transcript: any LineOutput
  private let console: Console

  /// A report to standard output, or to another output than that.
  init(
    style: TranscriptStyle, file: String? = nil, to transcript: (any LineOutput)? = nil,
    console: Console
  ) {
    text = TranscriptText(style: style, file: file)
    self.transcript = transcript ?? console
    self.console = console
  }

  /// To be called before the first result.
  mutating func begin() async throws {
    try await print(text.begin())
  }

  /// Shows a result, partial or final.
  mutating func show(_ result: SpeechRecognitionResult) async throws {
    if text.style != .json { await showVolatile(result) }
    try await print(try text.add(result))
  }

  private func showVolatile(_ result: SpeechRecognitionResult) async {
    if result.isFinal {
      await console.clearStatus()
    } else {
      await console.showVolatile(result.bestTranscription.formattedString)
    }
  }

  /// To be called after the last result.
  mutating func end() async throws {
    try await print(text.end())
  }

  private func print(_ lines: [String]) async throws {
    for line in lines { try await transcript.print(line) }
  }
}
