import ArgumentParser
import FilePaths
import SpeechClient

/// `syrinx wer`: measures the word error rate of a transcript.
struct WERCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "wer",
    abstract: "Print the word error rate of a transcript against a reference.",
    discussion: """
      Examples:
        syrinx wer reference.txt transcript.txt
        syrinx transcribe talk.wav | syrinx wer reference.txt - --alignment
        syrinx wer --text "ten miles" "ten smiles" --limit 20

      Both arguments are UTF-8 text files, one of which can be - (standard input), or with --text the \
      texts themselves. Both are normalized: case, punctuation, and hyphens do not count. English \
      numbers become digits (two hundred fifty, 250), and consecutive ones are joined (nineteen \
      eighty-four, 1984); $5 and 5% become 5 dollar and 5 percent; contractions are expanded (isn't, \
      is not); British spellings become American (colour, color); uh, um, and the like are removed. \
      In scripts without spaces each character is a word. With --raw, only white space separates \
      words, and everything counts.

      The exit status is 0 if there is a rate and it does not exceed --limit.

      \(JSONRecord.wordErrorSchema)
      """)

  @Argument(help: "Reference: what was said.", completion: .file())
  var reference: String

  @Argument(help: "Transcript: what was recognized.", completion: .file())
  var hypothesis: String

  @Flag(help: "Take the arguments as texts, not as file names.")
  var text = false

  @Flag(name: [.long, .customLong("verbatim")], help: "Compare the words without normalization.")
  var raw = false

  @Option(
    parsing: .unconditional,
    help: "Maximum word error rate for exit status 0, in percent (default: no limit).")
  var limit: Double?

  @Flag(help: "Print the alignment of each word: =, S, D, or I, and the words.")
  var alignment = false

  @OptionGroup var json: JSONOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  func validate() throws {
    try check("--limit", limit, in: 0...1_000_000, "a rate in percent")
    try require(
      text || !(reference.isEmpty || hypothesis.isEmpty),
      "a file name is empty; for texts, use --text.")
    try require(
      text || reference != "-" || hypothesis != "-",
      "standard input (-) can be read only once; name a file for the other argument.")
  }

  func perform(in context: CommandContext) async throws {
    let said = text ? reference : try await FilePath(reference).readText()
    let recognized = text ? hypothesis : try await FilePath(hypothesis).readText()
    let errors = WordErrorRate(
      reference: said, hypothesis: recognized, normalization: raw ? .written : .spoken)
    guard let rate = errors.rate else {
      let name = text ? "the first text" : "\(FilePath(reference))"
      throw CommandFailure("\(name) has no words to compare with")
    }
    for line in try lines(errors, rate) { try await context.console.print(line) }
    // The rate is not compared directly: in floating point, 7 / 25 is slightly more than 28
    // percent. The right side is rounded up, because 9.2 * 750 is slightly less than 6,900.
    if let limit, Double(errors.errorCount * 100) > (limit * Double(errors.referenceCount)).nextUp {
      await context.console.report(
        "the word error rate is \(rate.percentText)%, above the limit of \(limit)%")
      throw CommandEnd.reported
    }
  }

  private func lines(_ errors: WordErrorRate, _ rate: Double) throws -> [String] {
    if json.isOn { return [try JSONRecord(errors, rate).jsonLine()] }
    let counts =
      "\(errors.substitutions) substituted, \(errors.deletions) deleted, "
      + "\(errors.insertions) inserted"
    let errorText = errors.errorCount.counted("error")
    let summary =
      "\(rate.percentText)% (\(errorText) in \(errors.referenceCount) words: \(counts))"
    return (alignment ? errors.alignment.map(\.line) : []) + [summary]
  }
}

extension AlignedWord {
  /// The word as a line of the alignment.
  fileprivate var line: String {
    switch self {
    case .match(let word): "= \(word)"
    case .substitution(let reference, let hypothesis): "S \(reference) -> \(hypothesis)"
    case .deletion(let word): "D \(word)"
    case .insertion(let word): "I \(word)"
    }
  }
}

extension Double {
  /// The fraction in percent, to a tenth.
  fileprivate var percentText: String { "\((self * 1_000).rounded() / 10)" }
}

/// Creates the records that `syrinx wer --json` prints.
extension JSONRecord {
  /// The help text about the JSON output.
  static let wordErrorSchema = """
    With --json, there is one object: "rate" (0 is perfect, 1 is an error for each word), \
    "substitutions", "deletions", "insertions", "referenceWords", "hypothesisWords", and \
    "alignment", the words in order, each with "kind" (match, substitution, deletion, or insertion) \
    and "reference" and "hypothesis" where they exist; or one with the "error" if there is no rate.
    """

  init(_ errors: WordErrorRate, _ rate: Double) {
    self = [
      "rate": rate.rounded(toParts: 100_000), "substitutions": errors.substitutions,
      "deletions": errors.deletions, "insertions": errors.insertions,
      "referenceWords": errors.referenceCount, "hypothesisWords": errors.hypothesisCount,
      "alignment": errors.alignment.map { word -> JSONRecord in
        [
          "kind": word.kind.rawValue, "reference": word.reference, "hypothesis": word.hypothesis,
        ]
      },
    ]
  }
}
