import AudioCore
import FilePaths
import SpeechClient

/// Where results go: what is said for good into a transcript, what is still volatile to people who
/// watch, or, as JSON, into the transcript as well.
struct TranscriptReport {
  private var text: TranscriptText
  private let file: FilePath?
  private let transcript: any LineOutput
  private let console: Console
  private var isLagging = false
  private var losses = LossSummary()
  /// The utterance of which partial results were shown, and no final one.
  private var open: Int?

  /// Whether nothing of the audio went without being understood.
  private(set) var isWhole = true

  /// Less than this is made up for in the next pause.
  private static let seriousLag = Duration.seconds(5)

  /// A report to standard output, or to another output than that.
  init(
    style: TranscriptStyle, file: FilePath? = nil, to transcript: (any LineOutput)? = nil,
    console: Console
  ) {
    text = TranscriptText(style: style, file: file)
    self.file = file
    self.transcript = transcript ?? console
    self.console = console
  }

  /// To be called before the first result.
  mutating func begin() async throws {
    try await print(text.begin())
  }

  /// Shows a result, partial or final.
  mutating func show(_ result: SpeechRecognitionResult) async throws {
    open = result.isFinal ? nil : result.utterance
    if text.style != .json { await showVolatile(result) }
    try await print(try text.add(result))
  }

  /// Shows what has happened: a result as the other `show` does, and what waits or is lost to
  /// people and, as JSON, to the transcript.
  mutating func show(_ event: SpeechRecognitionEvent) async throws {
    if case .result(let result) = event { return try await show(result) }
    if text.style == .json, let record = LagRecord(event, file: file, utterance: open) {
      try await print([record.jsonLine()])
    }
    for sentence in sentences(about: event) { await console.report(sentence) }
  }

  /// What people are told: that it falls behind by much, and not how far at any moment; what was
  /// lost, and not each piece of it.
  private mutating func sentences(about event: SpeechRecognitionEvent) -> [String] {
    switch event {
    case .speechStarted(let time):
      open = nil
      return named(losses.reach(time))
    case .speechEnded(let time): return named(losses.reach(time))
    case .lagging(.zero):
      defer { isLagging = false }
      return isLagging ? ["the recogniser has caught up"] : []
    case .lagging(let lag):
      guard !isLagging, lag >= Self.seriousLag else { return [] }
      isLagging = true
      return ["the recogniser lags \(lag.secondsText) behind; is this machine too slow or busy?"]
    case .dropped(let range, let reason):
      isWhole = false
      return named(losses.add(range, reason))
    default: return []
    }
  }

  private func named(_ sentences: [String]) -> [String] {
    sentences.map { (file.map { "\($0): " } ?? "") + $0 }
  }

  /// Tells people of what was lost and has not been told; to be called where no more will come.
  mutating func tellLosses() async {
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

  /// To be called after the last result.
  mutating func end() async throws {
    await tellLosses()
    try await print(text.end())
  }

  private func print(_ lines: [String]) async throws {
    for line in lines { try await transcript.print(line) }
  }
}
