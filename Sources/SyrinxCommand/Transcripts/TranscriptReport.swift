import AudioCore
import FilePaths
import SpeechClient

/// Writes recognition events: results to the transcript, partial results to the terminal or as JSON
/// to the transcript, losses and lag as messages.
struct TranscriptReport {
  private var text: TranscriptText
  private let file: FilePath?
  private let transcript: any LineOutput
  private let console: Console
  private var isLagging = false
  private var losses = LossSummary()
  /// The utterance with partial results but no final one yet.
  private var open: Int?

  /// Whether all audio was recognized.
  private(set) var isWhole = true

  /// The next pause makes up for a smaller lag.
  private static let seriousLag = Duration.seconds(5)

  /// A report to standard output, or to another output.
  ///
  /// - Parameter namesFile: whether each line of text begins with the file's name.
  init(
    style: TranscriptStyle, file: FilePath? = nil, namesFile: Bool = false,
    to transcript: (any LineOutput)? = nil, console: Console
  ) {
    text = TranscriptText(style: style, file: file, namesFile: namesFile)
    self.file = file
    self.transcript = transcript ?? console
    self.console = console
  }

  /// Call before the first result.
  mutating func begin() async throws {
    try await print(text.begin())
  }

  /// Shows a partial or final result.
  mutating func show(_ result: SpeechRecognitionResult) async throws {
    open = result.isFinal ? nil : result.utterance
    if text.style != .json { await showVolatile(result) }
    try await print(try text.add(result))
  }

  /// Shows an event: a result, or a loss or lag as a message and, with JSON, in the transcript.
  mutating func show(_ event: SpeechRecognitionEvent) async throws {
    if case .result(let result) = event { return try await show(result) }
    if text.style == .json, let record = LagRecord(event, file: file, utterance: open) {
      try await print([record.jsonLine()])
    }
    for sentence in sentences(about: event) { await console.report(sentence) }
  }

  /// Messages report that recognition lags far behind, but not every change of the lag; and the sum
  /// of losses, but not each one.
  private mutating func sentences(about event: SpeechRecognitionEvent) -> [String] {
    switch event {
    case .speechStarted(let time):
      open = nil
      return named(losses.reach(time))
    case .speechEnded(let time): return named(losses.reach(time))
    case .lagging(.zero):
      defer { isLagging = false }
      return isLagging ? ["recognition has caught up"] : []
    case .lagging(let lag):
      guard !isLagging, lag >= Self.seriousLag else { return [] }
      isLagging = true
      return ["recognition lags \(lag.secondsText) behind; is this machine too slow or busy?"]
    case .dropped(let range, let reason):
      isWhole = false
      return named(losses.add(range, reason))
    default: return []
    }
  }

  private func named(_ sentences: [String]) -> [String] {
    sentences.map { (file.map { "\($0): " } ?? "") + $0 }
  }

  /// Reports the remaining losses; call it if no more results follow.
  mutating func reportLosses() async {
    for sentence in named(losses.finish()) { await console.report(sentence) }
  }

  private func showVolatile(_ result: SpeechRecognitionResult) async {
    if result.isFinal {
      await console.clearStatus()
    } else {
      await console.showVolatile(
        result.stablePrefix.formattedString, tail: result.volatileTail.formattedString)
    }
  }

  /// Call after the last result.
  mutating func end() async throws {
    await reportLosses()
    try await print(text.end())
  }

  private func print(_ lines: [String]) async throws {
    for line in lines { try await transcript.print(line) }
  }
}
