import ArgumentParser
import FilePaths
import SpeechClient

/// `syrinx wer`: how far a transcript is from what was said.
struct WERCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "wer",
    abstract: "Print the word error rate of a transcript against a reference.",
    discussion: """
      Both are text files in UTF-8, of which one can be - (standard input), or with --text the texts \
      themselves. They are compared as they are heard: case, punctuation, and hyphens do not count. English \
      numbers are taken in digits (two hundred fifty, 250), those in a row as one (nineteen eighty-four, \
      1984); $5 and 5 % are 5 dollar and 5 percent; contractions are taken apart (isn't, is not); British \
      spellings are American ones (colour, color); uh, um, and the like are left out. In scripts without \
      spaces each letter is a word. With --raw only white space parts words, and everything counts.

      The exit status is 0 when the rate could be told and is not above --limit.

      \(WordErrorRecord.schema)
      """)

  @Argument(help: "What was said.")
  var reference: String

  @Argument(help: "What was understood.")
  var hypothesis: String

  @Flag(help: "The arguments are the texts, not the names of files.")
  var text = false

  @Flag(
    name: [.long, .customLong("verbatim")], help: "Compare the words as they are written.")
  var raw = false

  @Option(
    parsing: .unconditional,
    help: "The highest word error rate, in percent, at which the exit status is 0.")
  var limit: Double?

  @Flag(help: "Print each word with what became of it: =, or S, D or I and both words.")
  var alignment = false

  @Flag(help: "Print JSON, an object on one line.")
  var json = false

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try check("--limit", limit, in: 0...1_000_000, "a rate in percent")
    guard text || !(reference.isEmpty || hypothesis.isEmpty) else {
      throw ValidationError("a file name is empty; with --text the arguments are texts.")
    }
    guard text || reference != "-" || hypothesis != "-" else {
      throw ValidationError("standard input (-) can be read once only; name a file for the other.")
    }
  }

  func perform(in context: CommandContext) async throws {
    let said = text ? reference : try await TextFile(FilePath(reference)).text()
    let heard = text ? hypothesis : try await TextFile(FilePath(hypothesis)).text()
    let errors = WordErrorRate(
      reference: said, hypothesis: heard, normalisation: raw ? .written : .spoken)
    guard let rate = errors.rate else {
      let name = text ? "the first text" : "\(FilePath(reference))"
      throw CommandFailure(description: "\(name) has no words: there is nothing to compare with")
    }
    for line in try lines(errors, rate) { try await context.console.print(line) }
    if let limit, rate * 100 > limit {
      throw CommandFailure(
        description: "the word error rate is \(rate.percentText) %, above the limit of \(limit) %")
    }
  }

  private func lines(_ errors: WordErrorRate, _ rate: Double) throws -> [String] {
    if json { return [try WordErrorRecord(errors, rate).jsonLine()] }
    let counts =
      "\(errors.substitutions) substituted, \(errors.deletions) deleted, "
      + "\(errors.insertions) inserted"
    let errorText = errors.errorCount == 1 ? "1 error" : "\(errors.errorCount) errors"
    let summary =
      "\(rate.percentText) % (\(errorText) in \(errors.referenceCount) words: \(counts))"
    return (alignment ? errors.alignment.map(\.line) : []) + [summary]
  }
}

extension AlignedWord {
  /// The word on a line of its own.
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
  /// A hundred times the number, to a tenth.
  fileprivate var percentText: String {
    let tenths = Int((self * 1_000).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A word error rate as `--json` tells it.
struct WordErrorRecord: Encodable {
  struct Word: Encodable {
    let kind: String
    let reference: String?
    let hypothesis: String?
  }

  let rate: Double
  let substitutions: Int
  let deletions: Int
  let insertions: Int
  let referenceWords: Int
  let hypothesisWords: Int
  let alignment: [Word]

  init(_ errors: WordErrorRate, _ rate: Double) {
    self.rate = (rate * 100_000).rounded() / 100_000
    substitutions = errors.substitutions
    deletions = errors.deletions
    insertions = errors.insertions
    referenceWords = errors.referenceCount
    hypothesisWords = errors.hypothesisCount
    alignment = errors.alignment.map {
      Word(kind: $0.kind.rawValue, reference: $0.reference, hypothesis: $0.hypothesis)
    }
  }

  /// What the help says about it.
  static let schema = """
    With --json there is one object: "rate" (0 is perfect, 1 an error for each word), \
    "substitutions", "deletions", "insertions", "referenceWords", "hypothesisWords", and \
    "alignment", the words in order, each with "kind" (match, substitution, deletion or insertion) \
    and, as it has them, "reference" and "hypothesis".
    """
}
