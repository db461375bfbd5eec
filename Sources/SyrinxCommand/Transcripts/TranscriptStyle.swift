import ArgumentParser
import FilePaths
import SpeechClient

/// How a transcript is written.
enum TranscriptStyle: Hashable {
  /// A line for each utterance.
  case text
  /// A JSON object for each result.
  case json
  /// Cues, cut at pauses.
  case cues(CueFormat)

  /// Whether it contains word times.
  var hasWordTimes: Bool { self != .text }

  /// The extension of a file that holds it.
  var pathExtension: String {
    switch self {
    case .text: "txt"
    case .json: "jsonl"
    case .cues(let format): format.rawValue
    }
  }
}

/// The value of `--format`.
enum TranscriptFormat: String, CaseIterable, ExpressibleByArgument {
  case text, srt, vtt, tsv
}

/// What `transcribe` and `listen` can be told about the transcript.
struct TranscriptOptions: ParsableArguments {
  @Option(
    help: """
      text (a line for each utterance), srt or vtt (subtitles), or tsv (start and end in \
      milliseconds, and text).
      """)
  var format: TranscriptFormat?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Flag(help: "Show what is understood so far.")
  var partials = false

  var style: TranscriptStyle {
    if json { return .json }
    return (format?.rawValue).flatMap(CueFormat.init).map(TranscriptStyle.cues) ?? .text
  }

  func validate() throws {
    guard !json || format == nil else {
      throw ValidationError("--json and --format both say how to write; give one of them.")
    }
  }

  /// Whether anybody gets partial results to see.
  func wantsPartials(on console: Console) -> Bool {
    partials && (json || console.isWatched)
  }

  /// What the help says about partial results and cues.
  static let help = """
    With --partials an utterance can be watched while it is understood: on a terminal a line is \
    written again and again, dim what may still change; with --json there is a line for each \
    change; other transcripts stay final. Cues have at most two lines of 42 characters and last at \
    most 7 seconds; they are cut where the speaker pauses.
    """
}

/// The lines of one transcript, as its results come.
struct TranscriptText {
  let style: TranscriptStyle
  private let file: FilePath?
  private var builder = CueBuilder()
  private var count = 0

  init(style: TranscriptStyle, file: FilePath? = nil) {
    self.style = style
    self.file = file
  }

  func begin() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return format.header.map { [$0] } ?? []
  }

  /// The lines that a result adds; a partial one adds some as JSON alone.
  mutating func add(_ result: SpeechRecognitionResult) throws -> [String] {
    let transcription = result.bestTranscription
    switch style {
    case .json: return [try UtteranceRecord(result, file: file).jsonLine()]
    case _ where !result.isFinal || transcription.segments.isEmpty: return []
    case .text: return [transcription.formattedString]
    case .cues(let format): return lines(of: builder.add(transcription), format)
    }
  }

  mutating func end() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return lines(of: builder.finish(), format)
  }

  private mutating func lines(of cues: [Cue], _ format: CueFormat) -> [String] {
    cues.map { cue in
      count += 1
      return format.text(of: cue, number: count)
    }
  }
}
