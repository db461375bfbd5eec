import SpeechClient

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
