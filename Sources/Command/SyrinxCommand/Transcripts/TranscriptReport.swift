import AudioCore
import ClientDependencies
import FilePaths
import Logging
import SpeechClient
import SpeechEngine

/// Writes recognition results to the transcripts, and losses and lag as messages.
///
/// Partial results go to the terminal, or as JSON to the transcript.
struct TranscriptReport {
  /// The transcripts, one for each style, each with a function that writes a line.
  private var transcripts: [(text: TranscriptText, print: @Sendable (String) async throws -> Void)]
  private let includesJSON: Bool
  private let rules: TextRules
  /// Whether the rules are those of the language that the engine detects in each utterance.
  private let detectsLanguage: Bool
  private let file: FilePath?
  private let console: Console
  private let log = Logger(label: "syrinx")
  private var isLagging = false
  private var losses = LossSummary()
  private let speakers: SpeakerNames
  private var languageNotice: LanguageNotice?
  /// The utterance that has partial results, but no final result yet.
  private var open: Int?

  /// Whether a final result was shown.
  private(set) var hasResults = false

  /// Whether no audio was lost.
  private(set) var isComplete = true

  /// The shortest lag that causes a message; the recognizer makes up for a shorter lag in a pause.
  private static let seriousLag = Duration.seconds(5)

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - styles: the style of each transcript.
  ///   - rules: the rules for the text.
  ///   - cuePolicy: the limits of cues.
  ///   - language: the language of the speech, as a BCP 47 tag; nil if it is unknown.
  ///   - file: the file that is recognized; nil for a microphone.
  ///   - outputs: the file for each style; empty for a single style on standard output.
  ///   - namesFile: whether each line of text on standard output begins with the file's name.
  ///   - speakers: the names of the speakers of separate channels.
  ///   - languageNotice: detects an input in a language that the model does not support; nil for no
  ///     detection.
  ///   - console: shows the results and messages.
  init(
    styles: [TranscriptStyle], rules: TextRules = .none, cuePolicy: CuePolicy = CuePolicy(),
    language: String? = nil, file: FilePath? = nil, to outputs: [PendingOutput] = [],
    namesFile: Bool = false, speakers: SpeakerNames = SpeakerNames(),
    languageNotice: LanguageNotice? = nil, console: Console
  ) {
    let texts = styles.map {
      TranscriptText(
        style: $0, cuePolicy: cuePolicy, file: file,
        namesFile: namesFile && outputs.isEmpty, speakers: speakers, language: language)
    }
    transcripts = texts.enumerated().map { index, text in
      guard !outputs.isEmpty else { return (text, { try await console.print($0) }) }
      let output = outputs[index]
      return (text, { try await output.print($0) })
    }
    includesJSON = styles.contains(.json)
    (self.file, self.speakers, self.languageNotice) = (file, speakers, languageNotice)
    (self.console, self.rules) = (console, rules)
    detectsLanguage = [nil, LanguageTag.multiple, SpokenLanguage.detected].contains(language)
  }

  /// Writes the beginning of each transcript; call it before the first result.
  mutating func begin() async throws {
    try await print { try $0.begin() }
  }

  /// Shows a partial or final result, and returns it with the rules applied.
  @discardableResult
  mutating func show(_ result: SpeechRecognitionResult) async throws -> SpeechRecognitionResult {
    open = result.isFinal ? nil : result.utterance
    hasResults = hasResults || result.isFinal
    var rules = rules
    if detectsLanguage, rules != .none, let spoken = result.language { rules.language = spoken.tag }
    // Line breaks of the rules stay; those of the engine are escaped. JSON escapes them itself.
    let ruled = (includesJSON ? result : result.printable).applying(rules)
    if !includesJSON { await showVolatile(ruled) }
    try await print { try $0.add(ruled) }
    return ruled
  }

  /// Shows a result, or reports a loss or lag, which a JSON transcript also contains.
  ///
  /// Returns the result with the rules applied; nil for other events.
  @discardableResult
  mutating func show(
    _ event: SpeechRecognitionEvent
  ) async throws -> SpeechRecognitionResult? {
    if case .result(let result) = event {
      let ruled = try await show(result)
      if let notice = languageNotice?.text(after: result) {
        for sentence in named([notice]) { await console.notify(sentence) }
      }
      return ruled
    }
    if includesJSON, let record = JSONRecord(event, file: file, utterance: open) {
      let line = try record.jsonLine()
      try await print { $0.style == .json ? [line] : [] }
    }
    for sentence in sentences(about: event) { await console.report(sentence) }
    // An utterance that ends without a final result makes its partial results invalid, so they are
    // erased.
    if case .speechEnded = event, open.take() != nil, !includesJSON { await console.clearStatus() }
    return nil
  }

  /// Returns the messages about a large lag and lost audio that are due at an event.
  ///
  /// `LossSummary` summarizes lost audio. Sounds without words are only logged.
  private mutating func sentences(about event: SpeechRecognitionEvent) -> [String] {
    switch event {
    case .speechStarted(let time), .speechEnded(let time): return named(losses.reach(time))
    case .lagging(.zero):
      defer { isLagging = false }
      return isLagging ? ["recognition has caught up"] : []
    case .lagging(let lag):
      guard !isLagging, lag >= Self.seriousLag else { return [] }
      isLagging = true
      return ["recognition lags \(lag.secondsText) behind; is this machine too slow or busy?"]
    case .dropped(let range, let reason) where reason == .unintelligible:
      for sentence in named([reason.sentence(about: range)]) { log.info("\(sentence)") }
      return []
    case .dropped(let range, let reason):
      isComplete = false
      return named(losses.add(range, reason))
    default: return []
    }
  }

  private func named(_ sentences: [String]) -> [String] {
    sentences.map { (file.map { "\($0): " } ?? "") + $0 }
  }

  /// Reports the remaining losses; call it after the last result.
  mutating func reportLosses() async {
    for sentence in named(losses.flush()) { await console.report(sentence) }
  }

  private func showVolatile(_ result: SpeechRecognitionResult) async {
    if result.isFinal {
      await console.clearStatus()
    } else {
      let name = speakers.name(of: result).map { "\($0): " } ?? ""
      await console.showVolatile(
        name + result.stablePrefix.formattedString, tail: result.volatileTail.formattedString)
    }
  }

  /// Reports the remaining losses and writes the end of each transcript; call it after the last
  /// result.
  mutating func end() async throws {
    await reportLosses()
    try await print { try $0.end() }
  }

  /// Writes the new lines of each style to its transcript.
  private mutating func print(
    _ lines: (inout TranscriptText) throws -> [String]
  ) async throws {
    for index in transcripts.indices {
      for line in try lines(&transcripts[index].text) {
        try await transcripts[index].print(line)
      }
    }
  }
}

/// Summarizes lost audio in at most one line per reason and second.
///
/// A machine that is too slow would otherwise cause many lines, because it repeatedly loses a
/// little audio.
struct LossSummary {
  /// The minimum length of audio between two lines with the same reason.
  private static let interval = Duration.seconds(1)

  /// Losses with the same reason, which are reported together.
  private struct Loss {
    var reason: SpeechRecognitionEvent.DropReason
    /// The position in the audio at which the next line is due.
    var next = Duration.zero
    /// The start, total length, and number of the unreported losses.
    var unreported: (begin: Duration, length: Duration, count: Int)?

    mutating func add(
      _ range: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
    ) {
      self.reason = unreported == nil ? reason : self.reason.joined(with: reason) ?? reason
      let length = range.upperBound - range.lowerBound
      let before = unreported ?? (range.lowerBound, .zero, 0)
      unreported = (before.begin, before.length + length, before.count + 1)
    }

    mutating func line() -> String? {
      unreported.take().map { loss in
        loss.count == 1
          ? reason.sentence(about: loss.begin..<(loss.begin + loss.length))
          : reason.sentence(about: loss.length, in: loss.count, from: loss.begin)
      }
    }
  }

  private var losses: [Loss] = []

  /// Adds a lost range and returns the lines that are due.
  mutating func add(
    _ range: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
  ) -> [String] {
    // An engine failure is reported at once and separately, because it loses a whole utterance.
    if case .engineFailed = reason { return flush() + [reason.sentence(about: range)] }
    let index = losses.firstIndex { $0.reason.joined(with: reason) != nil } ?? losses.endIndex
    if index == losses.endIndex { losses.append(Loss(reason: reason)) }
    losses[index].add(range, reason)
    return reach(range.upperBound)
  }

  /// Advances to a position in the audio and returns the lines that are due.
  mutating func reach(_ time: Duration) -> [String] {
    losses.indices.compactMap { index in
      guard time >= losses[index].next, let line = losses[index].line() else { return nil }
      losses[index].next = time + Self.interval
      return line
    }
  }

  /// Returns the lines about all unreported losses.
  mutating func flush() -> [String] {
    losses.indices.compactMap { losses[$0].line() }
  }
}

extension SpeechRecognitionEvent.DropReason {
  /// Returns the message about one lost range.
  func sentence(about range: Range<Duration>) -> String {
    let length = range.upperBound - range.lowerBound
    return "\(length.secondsText) of audio at \(range.lowerBound.clockText) \(consequence)"
  }

  /// Returns the message about `count` lost ranges; the first one begins at `begin`.
  fileprivate func sentence(about length: Duration, in count: Int, from begin: Duration) -> String {
    "\(length.secondsText) of audio in \(count) places from \(begin.clockText) on \(consequence)"
  }

  /// Merges the reasons of two losses that share a line; nil if each loss needs its own line.
  fileprivate func joined(with other: Self) -> Self? {
    switch (self, other) {
    case (.nonFinite(let count), .nonFinite(let more)): .nonFinite(sampleCount: count + more)
    case (.engineFailed, _): nil
    default: self == other ? self : nil
    }
  }

  private var consequence: String {
    switch self {
    case .engineTooSlow: "was dropped: recognition lags too far behind"
    case .engineFailed(let error): "was dropped: \(error)"
    case .unintelligible: "has no plausible words"
    case .nonFinite(let count):
      "contains \(count) NaN or infinite samples, replaced by silence"
    case .gap:
      "was lost during capture: the device stopped, or this machine is too slow or busy"
    }
  }
}

/// Detects an input in a language that the model does not support, by the low confidence of its
/// words.
struct LanguageNotice {
  /// The minimum duration of speech before a notice.
  private static let leastSpeech = Duration.seconds(10)

  private let engine: SpeechEngine
  private var speech = Duration.zero
  private var confidences: [Double] = []
  private var isReported = false

  init(engine: SpeechEngine) {
    self.engine = engine
  }

  /// The mean confidence below which 10 seconds of words cause a notice.
  ///
  /// On English, the measured mean of Moonshine is at least 0.71, and that of PocketSphinx at least
  /// 0.44. On other languages, the mean of PocketSphinx is 0.37 to 0.45.
  private var leastConfidence: Double {
    engine.name == EngineName.pocketsphinx.rawValue ? 0.4 : 0.5
  }

  /// Adds a result, and returns a notice if the words so far have a low confidence.
  ///
  /// Each input gets at most one notice.
  mutating func text(after result: SpeechRecognitionResult) -> String? {
    guard !isReported, result.isFinal else { return nil }
    let words = result.bestTranscription.segments
    guard let first = words.first, let last = words.last else { return nil }
    speech += last.timestamp + last.duration - first.timestamp
    confidences += words.compactMap(\.confidence)
    guard speech >= Self.leastSpeech, !confidences.isEmpty else { return nil }
    let mean = confidences.reduce(0, +) / Double(confidences.count)
    (speech, confidences) = (.zero, [])
    guard mean < leastConfidence else { return nil }
    isReported = true
    @Dependency(\.engineMakers) var engines
    let advice = engines.advice(onLanguage: nil) ?? "`syrinx engines` lists the models"
    return """
      many words are probably wrong, with a mean confidence of \(mean.rounded(toParts: 100)): the audio is \
      probably not \(language), or it is unclear; \(advice)
      """
  }

  private var language: String {
    guard let tag = engine.availability().model?.language, tag != LanguageTag.unknown else {
      return "in the model's language"
    }
    let name = LanguageTag.understands("en", available: tag) ? "English" : "in \(tag)"
    return "\(name), the model's language"
  }
}

extension SpeechOptions {
  /// Creates the language detection for one input; nil if the options restrict the words, or if the
  /// engine itself detects languages.
  func makeLanguageNotice() -> LanguageNotice? {
    guard isPlainDictation else { return nil }
    let engine = chosenEngine
    return engine.capabilities.contains(.languageDetection) ? nil : LanguageNotice(engine: engine)
  }
}
