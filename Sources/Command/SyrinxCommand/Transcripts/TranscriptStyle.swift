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

  static let all = [text] + CueFormat.allCases.map(cues) + [json]

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
    }
  }

  /// Whether the style contains word times.
  var hasWordTimes: Bool { self != .text }

  /// The file extension.
  var pathExtension: String {
    switch self {
    case .text: "txt"
    case .json: "jsonl"
    case .cues(let format): format.rawValue
    }
  }
}

/// The options of `transcribe` and `listen` for the transcript.
struct TranscriptOptions: ParsableArguments {
  @Option(
    help: """
      Format: text (a line for each utterance), srt or vtt (subtitles), tsv (start and end in \
      milliseconds, and text), or json (an object for each result); with --output-dir, several \
      separated by commas.
      """, completion: .list(TranscriptStyle.all.map(\.name)), transform: Self.styles)
  var format: [TranscriptStyle]?

  @Flag(
    help: "Print JSON, one object per line: for each result, or with --output-dir for each file.")
  var json = false

  @Flag(help: "Show utterances while they are recognized.")
  var partials = false

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
    transcripts stay final. Cues have at most two lines of 42 characters and last at most 7 seconds; \
    they are cut where the speaker pauses. With --channels separate, the name of the speaker precedes \
    each line of text and each cue, in WebVTT as <v Left>.
    """
}

/// Turns results into the lines of a transcript.
struct TranscriptText {
  let style: TranscriptStyle
  private let file: FilePath?
  /// Whether each line of a text transcript begins with the file's name.
  private let namesFile: Bool
  private let speakers: SpeakerNames
  private var builder = CueBuilder()
  /// The cues of separate channels that begin after the newest utterance.
  private var later: [Cue] = []
  private var count = 0

  init(
    style: TranscriptStyle, file: FilePath? = nil, namesFile: Bool = false,
    speakers: SpeakerNames = SpeakerNames()
  ) {
    (self.style, self.file, self.namesFile) = (style, file, namesFile)
    self.speakers = speakers
  }

  func begin() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return format.header.map { [$0] } ?? []
  }

  /// Returns the lines for a result; a partial result has lines only in JSON.
  mutating func add(_ result: SpeechRecognitionResult) throws -> [String] {
    let transcription = result.bestTranscription.printable
    let speaker = speakers.name(of: result)
    switch style {
    case .json: return [try JSONRecord(result, file: file, speaker: speaker).jsonLine()]
    case _ where !result.isFinal || transcription.segments.isEmpty: return []
    case .text:
      let name = namesFile ? file.map { "\($0): " } ?? "" : ""
      return [name + (speaker.map { "\($0): " } ?? "") + transcription.formattedString]
    case .cues(let format):
      let cues = builder.add(transcription, speaker: speaker)
      let start = speaker == nil ? nil : transcription.segments.first?.timestamp
      return lines(of: ordered(cues, upTo: start), format)
    }
  }

  mutating func end() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return lines(of: ordered(builder.flush(), upTo: nil), format)
  }

  /// Returns the cues that begin up to `start`, in the order of their starts; nil returns all cues.
  ///
  /// A cue in an utterance may begin after the next utterance, which is another speaker's.
  private mutating func ordered(_ cues: [Cue], upTo start: Duration?) -> [Cue] {
    let all = (later + cues).sorted { $0.start < $1.start }
    let ready = all.prefix { cue in start.map { cue.start <= $0 } ?? true }
    later = Array(all[ready.endIndex...])
    return Array(ready)
  }

  private mutating func lines(of cues: [Cue], _ format: CueFormat) -> [String] {
    cues.map { cue in
      count += 1
      return format.text(of: cue, number: count)
    }
  }
}

extension Transcription {
  /// The transcription without the control characters that a server or a model may return in words.
  fileprivate var printable: Transcription {
    guard !segments.allSatisfy(\.substring.isPlain) else { return self }
    var transcription = self
    for index in segments.indices {
      transcription.segments[index].substring = segments[index].substring.unicodeScalars
        .map { Self.orderMarks.contains($0) ? String($0) : String($0).printableLine }.joined()
    }
    return transcription
  }

  /// The marks of text direction, which are kept because Arabic and Hebrew text contains them.
  private static var orderMarks: Set<Unicode.Scalar> { ["\u{200E}", "\u{200F}", "\u{61C}"] }
}

/// Creates the records of results for `--json`; times are in seconds from the audio's beginning.
extension JSONRecord {
  /// The help text about the JSON output.
  static let utteranceSchema = """
    With --json, each result is an object on its own line: "event" (partial or final), "utterance" \
    (from 0), "final", "text", "start" and "end" (seconds from the beginning of the audio), and \
    "words", each with "word", "start", "end", and, if the engine reports it, "confidence" (0 to 1); \
    "estimatedTimes" marks estimated word times. With --channels separate, "channel" is the number of \
    the channel (from 1), and "speaker" its name. With --locale auto, "language" is the detected \
    language, and "languageProbability" its probability (0 to 1). A partial result has "stable": the beginning of the \
    text, in which only the spelling should still change. A final result has "wordsPerMinute" \
    and "averagePause" (seconds) and, with --alternatives, the n-best "alternatives", most likely \
    first, for the utterance and for each word.
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
