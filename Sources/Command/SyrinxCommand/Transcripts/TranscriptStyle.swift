import ArgumentParser
import AudioCore
import FilePaths
import SpeechClient

/// The style of a transcript.
enum TranscriptStyle: Hashable {
  /// A line for each utterance.
  case text
  /// A JSON object for each result.
  case json
  /// Cues, divided at pauses.
  case cues(CueFormat)
  /// One JSON object with the keys of openai-whisper; its segments are cues.
  case whisperJSON

  static let all = [text] + CueFormat.allCases.map(cues) + [json, whisperJSON]

  /// Creates the style for a file extension; nil if no style uses it.
  init?(pathExtension: String) {
    let name = pathExtension.lowercased()
    let style = name == "json" ? .json : Self.all.first { $0.pathExtension == name }
    guard let style else { return nil }
    self = style
  }

  /// The name for `--format`.
  var name: String {
    switch self {
    case .text: "text"
    case .json: "json"
    case .cues(let format): format.rawValue
    case .whisperJSON: "whisper-json"
    }
  }

  /// Whether the style contains word times.
  var hasWordTimes: Bool { self != .text }

  /// Whether a transcript begins with a header or numbers its parts, so that it has only one input.
  var hasBeginning: Bool { self != .text && self != .json }

  /// Whether the limits of cues affect the transcript.
  var hasCues: Bool { ![.text, .json, .cues(.words)].contains(self) }

  /// The file extension.
  var pathExtension: String {
    switch self {
    case .text: "txt"
    case .json: "jsonl"
    case .cues(.wordTimedVTT): "words.vtt"
    case .cues(.words): "words.tsv"
    case .cues(let format): format.rawValue
    case .whisperJSON: "json"
    }
  }
}

/// The options of `transcribe` and `listen` for the transcript.
struct TranscriptOptions: ParsableArguments {
  @Option(
    help: """
      Format: text (a line for each utterance), srt or vtt (subtitles), vtt-words (with the time of \
      each word), tsv (start and end in milliseconds, and text), words (the same for each word), json \
      (an object for each result), or whisper-json (one object with the keys of openai-whisper); with \
      --output-dir, several separated by commas.
      """, completion: .list(TranscriptStyle.all.map(\.name)), transform: Self.styles)
  var format: [TranscriptStyle]?

  @Flag(
    help: "Print JSON, one object per line: for each result, or with --output-dir for each file.")
  var json = false

  @Flag(help: "Show utterances while they are recognized.")
  var partials = false

  @Option(
    parsing: .unconditional,
    help: .value("count", "Maximum number of characters in a line of a subtitle (default: 42)."))
  var maxLineWidth: Int?

  @Option(
    parsing: .unconditional,
    help: .value("count", "Maximum number of lines of a subtitle (default: 2)."))
  var maxLines: Int?

  @Option(
    parsing: .unconditional,
    help: .value("count", "Maximum number of words in a subtitle (default: no limit)."))
  var maxWords: Int?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Maximum duration of a subtitle (default: 7)."),
    transform: TimeValue.seconds)
  var maxDuration: Double?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Minimum time between two subtitles (default: 0.08)."),
    transform: TimeValue.seconds)
  var minGap: Double?

  func validate() throws {
    try check("--max-line-width", maxLineWidth, in: 1...1_000, "a number")
    try check("--max-lines", maxLines, in: 1...1_000, "a number")
    try check("--max-words", maxWords, in: 1...1_000, "a number")
    try check("--max-duration", maxDuration, in: 0.1...3_600, "seconds")
    try check("--min-gap", minGap, in: 0...60, "seconds")
  }

  /// The limits of cues.
  var cuePolicy: CuePolicy {
    var policy = CuePolicy()
    policy.charactersPerLine = maxLineWidth ?? policy.charactersPerLine
    policy.linesPerCue = maxLines ?? policy.linesPerCue
    policy.wordsPerCue = maxWords ?? policy.wordsPerCue
    policy.maximumDuration = maxDuration.map { .seconds($0) } ?? policy.maximumDuration
    policy.gap = minGap.map { .seconds($0) } ?? policy.gap
    return policy
  }

  /// Adds the limits to the record of the options that a transcript depends on.
  func addCueLimits(to record: inout JSONRecord) {
    record["maxLineWidth"] = maxLineWidth
    record["maxLines"] = maxLines
    record["maxWords"] = maxWords
    record["maxDuration"] = maxDuration
    record["minGap"] = minGap
  }

  /// Throws if no transcript has cues, but an option limits them.
  func checkCueLimits() throws {
    guard cuePolicy != CuePolicy(), !styles.contains(where: \.hasCues) else { return }
    throw ValidationError(
      """
      --max-line-width, --max-lines, --max-words, --max-duration, and --min-gap limit subtitles; use \
      --format srt, vtt, vtt-words, tsv, or whisper-json.
      """)
  }

  /// The styles of the transcripts, at least one.
  var styles: [TranscriptStyle] {
    format ?? [json ? .json : .text]
  }

  /// Reads the value of `--format`: names of styles, separated by commas.
  private static func styles(_ argument: String) throws -> [TranscriptStyle] {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let styles = names.compactMap { name in TranscriptStyle.all.first { $0.name == name } }
    guard styles.count == names.count, Set(styles).count == names.count else {
      let all = TranscriptStyle.all.map(\.name).joined(separator: ", ")
      throw ValidationError(
        "give \(all), or with --output-dir several of them, separated by commas.")
    }
    return styles
  }

  /// Whether one of the transcripts is JSON.
  var includesJSON: Bool { styles.contains(.json) }

  /// Throws if standard output would get transcripts in several styles.
  func checkSingleFormat() throws {
    try require(!json || includesJSON, "--json and --format exclude each other; use one of them.")
    try require(styles.count == 1, "several formats require `syrinx transcribe --output-dir`.")
  }

  /// Returns whether partial results are shown anywhere.
  func wantsPartials(on console: Console) -> Bool {
    partials && (includesJSON || console.isWatched)
  }

  /// The help on partial results and cues.
  static let help = """
    With --partials, utterances are shown while they are recognized: on a terminal, one line is \
    rewritten, with the part that may still change dimmed; with --json, each change is a line. Other \
    transcripts stay final. Subtitles are cut at the ends of sentences, at commas, and where the \
    speaker pauses, but not between a number and its unit. They stay long enough to read 21 \
    characters per second if the next one leaves time for that. With --channels separate, the name \
    of the speaker precedes each line of text and each cue, in WebVTT as <v Left>.
    """
}

/// Turns results into the lines of a transcript.
struct TranscriptText {
  let style: TranscriptStyle
  private let file: FilePath?
  /// Whether each line of a text transcript begins with the file's name.
  private let namesFile: Bool
  private let speakers: SpeakerNames
  private let language: String?
  private var sorter: CueSorter
  private var count = 0
  /// The text of the segments so far, which openai-whisper's JSON repeats after them.
  private var text = ""

  /// - Parameters:
  ///   - style: the style of the transcript.
  ///   - cuePolicy: the limits of cues.
  ///   - file: the file that is recognized; nil for a microphone.
  ///   - namesFile: whether each line of a text transcript begins with the file's name.
  ///   - speakers: the names of the channels' speakers.
  ///   - language: the language of the speech, as a BCP 47 tag; nil if it is unknown.
  init(
    style: TranscriptStyle, cuePolicy: CuePolicy = CuePolicy(), file: FilePath? = nil,
    namesFile: Bool = false, speakers: SpeakerNames = SpeakerNames(), language: String? = nil
  ) {
    (self.style, self.file, self.namesFile) = (style, file, namesFile)
    self.speakers = speakers
    (self.language, sorter) = (language, CueSorter(policy: cuePolicy))
  }

  func begin() throws -> [String] {
    switch style {
    case .text, .json: return []
    case .cues(let format): return format.header.map { [$0] } ?? []
    case .whisperJSON:
      let code = language?.lowercased().prefix(while: \.isLetter) ?? "und"
      return [
        try (["language": String(code)] as JSONRecord).jsonLine().dropLast() + ",\"segments\":["
      ]
    }
  }

  /// Returns the lines for a result; a partial result has lines only in JSON.
  mutating func add(_ result: SpeechRecognitionResult) throws -> [String] {
    let transcription = result.bestTranscription.printable(keepsBreaks: true)
    let speaker = speakers.name(of: result)
    switch style {
    case .json:
      return [try JSONRecord(result, file: file, speaker: speaker).jsonLine()]
    case _ where !result.isFinal || transcription.segments.isEmpty: return []
    case .text:
      let name = namesFile ? file.map { "\($0): " } ?? "" : ""
      return [name + (speaker.map { "\($0): " } ?? "") + transcription.formattedString]
    case .cues, .whisperJSON:
      return try lines(of: sorter.add(transcription, of: result.channel, speaker: speaker))
    }
  }

  mutating func end() throws -> [String] {
    let last = try lines(of: sorter.flush())
    guard style == .whisperJSON else { return last }
    return last + ["]," + (try (["text": text] as JSONRecord).jsonLine().dropFirst())]
  }

  private mutating func lines(of cues: [Cue]) throws -> [String] {
    try cues.map { cue in
      count += 1
      if case .cues(let format) = style { return format.text(of: cue, number: count) }
      return try (count > 1 ? "," : "") + whisperSegment(cue).jsonLine()
    }
  }

  /// Returns a segment of openai-whisper's JSON, in which a word begins with the space before it.
  ///
  /// The keys about Whisper's decoder have neutral values.
  private mutating func whisperSegment(_ cue: Cue) -> JSONRecord {
    let spaced = cue.spacedWords(after: text)
    let segmentText = spaced.joined()
    text += segmentText
    let words = zip(cue.words, spaced).map { word, spaced -> JSONRecord in
      [
        "word": spaced, "start": word.timestamp.inRecordSeconds, "end": word.end.inRecordSeconds,
        "probability": word.confidence.map { $0.rounded(toParts: 1_000) },
      ]
    }
    return [
      "id": count - 1, "seek": 0, "start": cue.start.inRecordSeconds,
      "end": cue.end.inRecordSeconds, "text": segmentText, "tokens": [Int](),
      "temperature": 0.0, "avg_logprob": cue.averageLogProbability.rounded(toParts: 1_000),
      "compression_ratio": 1.0,
      "no_speech_prob": 0.0, "words": words,
    ]
  }
}

/// Creates the records of results for `--json`; times are in seconds from the audio's beginning.
extension JSONRecord {
  /// The help text about the JSON output.
  static let utteranceSchema = """
    With --json, each result is an object on its own line: "event" (partial or final), "utterance" \
    (from 0), "final", "text", "start" and "end" (seconds from the beginning of the audio), and \
    "words", each with "word", "start", "end", and, if the engine reports it, "confidence" (0 to 1); \
    "estimatedTimes" marks estimated word times. With --channels separate, "channel" is the number \
    of the channel (from 1), and "speaker" its name. With --locale auto, "language" is the detected \
    language, and "languageProbability" its probability (0 to 1). A partial result has "stable": \
    the beginning of the text, in which only the spelling should still change. A final result has \
    "wordsPerMinute" and "averagePause" (seconds) and, with --alternatives, the n-best \
    "alternatives", most likely first, for the utterance and for each word.
    """

  init(_ result: SpeechRecognitionResult, file: FilePath? = nil, speaker: String? = nil) {
    let transcription = result.bestTranscription
    let (segments, metadata) = (transcription.segments, result.speechRecognitionMetadata)
    self = [
      "event": result.isFinal ? "final" : "partial", "file": file,
      "utterance": result.utterance, "final": result.isFinal,
      "text": transcription.formattedString,
      "stable": result.isFinal ? nil : result.stablePrefix.formattedString,
      "estimatedTimes": transcription.hasEstimatedTimes ? true : nil,
      "channel": result.channel.map { $0 + 1 }, "speaker": speaker,
      "language": result.language?.tag,
      "languageProbability": result.language?.probability.rounded(toParts: 1_000),
      "words": segments.map { JSONRecord($0) }, "start": segments.first?.timestamp.inRecordSeconds,
      "end": segments.last?.end.inRecordSeconds,
      "alternatives": result.transcriptions.dropFirst().map(\.formattedString).unlessEmpty,
      "wordsPerMinute": metadata?.speakingRate.tenths,
      "averagePause": metadata?.averagePauseDuration.inRecordSeconds,
    ]
  }

  private init(_ segment: TranscriptionSegment) {
    self = [
      "word": segment.substring, "start": segment.timestamp.inRecordSeconds,
      "end": segment.end.inRecordSeconds,
      "confidence": segment.confidence.map { $0.rounded(toParts: 1_000) },
      "alternatives": segment.alternativeSubstrings.unlessEmpty,
    ]
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

/// Creates the records of lags and losses for `listen --json` and `transcribe --json`.
///
/// Times are in seconds from the beginning of the audio.
extension JSONRecord {
  /// The help text about the JSON output.
  static let lagSchema = """
    Other objects have an "event": lagging with "seconds" of audio queued because recognition lags (0 \
    after it has caught up), or dropped with the "start" and "end" of a range and the "reason": slow \
    (not recognized, because the backlog was full), gap (lost during capture), unintelligible (sound \
    without plausible words), engine (not recognized, because the engine failed; "error" says why), or \
    nonFinite (recognized, but "samples" that were NaN or infinite are replaced by silence). With \
    unintelligible and engine, "utterance" is the number of the utterance whose partial results are void. \
    The failure of the command is an object with the "error".
    """

  /// The help text about lost audio in files.
  ///
  /// Live input also has lags and gaps.
  static let droppedSchema = """
    An object with the "event" dropped has the "start" and "end" of a range and the "reason": \
    unintelligible (sound without plausible words), engine (not recognized, because the engine failed; \
    "error" says why), or nonFinite (recognized, but "samples" that were NaN or infinite are replaced \
    by silence). With unintelligible and engine, "utterance" is the number of the utterance whose \
    partial results are void.
    """

  /// Creates the record of a lag or a loss; nil for any other event.
  ///
  /// - Parameters:
  ///   - event: the event to record.
  ///   - file: the file that is recognized; nil for a microphone.
  ///   - utterance: the utterance that has partial results, but no final result yet.
  init?(_ event: SpeechRecognitionEvent, file: FilePath? = nil, utterance: Int? = nil) {
    switch event {
    case .lagging(let lag):
      self = ["event": "lagging", "file": file, "seconds": lag.inRecordSeconds]
    case .dropped(let range, let reason):
      self = [
        "event": "dropped", "file": file, "start": range.lowerBound.inRecordSeconds,
        "end": range.upperBound.inRecordSeconds, "reason": reason.name,
      ]
      switch reason {
      case .engineFailed(let error):
        self["error"] = "\(error)"
        self["utterance"] = utterance
      case .unintelligible: self["utterance"] = utterance
      case .nonFinite(let count): self["samples"] = count
      case .engineTooSlow, .gap: break
      }
    default: return nil
    }
  }
}
