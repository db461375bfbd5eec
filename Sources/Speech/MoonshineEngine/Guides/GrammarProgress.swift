/// The position of a text within the sentences of a grammar.
struct GrammarProgress: Sendable {
  /// A position in the graph that the text may have reached: the last word, and the number of bytes
  /// of that word that have been read.
  private typealias Place = (word: WordList, offset: Int)

  /// A word, linked to the words before it; texts with the same first words share those links.
  private final class WordList: Sendable {
    let edge: Int
    /// The number of bytes of the text before the word.
    let start: Int
    let previous: WordList?

    init(_ edge: Int, start: Int, after previous: WordList?) {
      (self.edge, self.start, self.previous) = (edge, start, previous)
    }
  }

  private let graph: GrammarGraph
  private var places: [Place] = []
  /// The space or punctuation mark at the end of the text; nil within a word.
  private var gap: UInt8? = .space
  private var isAfterApostrophe = false
  private var byteCount = 0

  /// Creates the progress of an empty text; a leading space is allowed.
  init(_ graph: GrammarGraph) {
    self.graph = graph
  }

  /// Whether the text is a whole sentence.
  var mayEnd: Bool { last != nil }

  /// The words of the sentence as the grammar writes them, each with its offset in the text's
  /// spelling; empty if the text is not a whole sentence.
  var words: [(word: String, start: Int)] {
    var words: [(String, Int)] = []
    var next = last
    while let word = next {
      words.append((graph.edges[word.edge].word, word.start))
      next = word.previous
    }
    return words.reversed()
  }

  private var last: WordList? {
    places.first { isWhole($0) && graph.isEnd(graph.edges[$0.word.edge].target) }?.word
  }

  /// Returns the progress after the next byte; nil if that byte cannot follow.
  func reading(_ byte: UInt8) -> GrammarProgress? {
    var next = self
    next.byteCount += 1
    next.isAfterApostrophe = false
    switch byte {
    case .space:
      if gap == .space { return byteCount == 0 ? next : nil }
      if gap == nil { next.places = places.compactMap(enteringGap) }
      next.gap = .space
    case .mark:
      guard gap == nil else { return nil }
      next.places = places.compactMap(enteringGap)
      next.gap = .mark
    default:
      let begun = gap == nil ? [] : beginningWords(with: byte)
      next.places = places.compactMap { continuing($0, with: byte) } + begun
      next.gap = nil
    }
    return next.places.isEmpty ? nil : next
  }

  /// The progress after an apostrophe; nil unless the text ends with a letter.
  ///
  /// Spellings contain no apostrophes.
  var readingApostrophe: GrammarProgress? {
    guard gap == nil, !isAfterApostrophe else { return nil }
    var next = self
    next.isAfterApostrophe = true
    return next
  }

  private func isWhole(_ place: Place) -> Bool {
    place.offset == graph.edges[place.word.edge].spelling.count
  }

  /// Returns the position after a space or punctuation mark; nil unless the word ends there or is
  /// spelled with a space there.
  private func enteringGap(_ place: Place) -> Place? {
    isWhole(place) ? place : continuing(place, with: .space)
  }

  private func continuing(_ place: Place, with byte: UInt8) -> Place? {
    let spelling = graph.edges[place.word.edge].spelling
    guard place.offset < spelling.count, spelling[place.offset] == byte else { return nil }
    return (place.word, place.offset + 1)
  }

  /// Returns the positions after the first byte of each word that begins with `byte` and may follow
  /// the words read so far.
  private func beginningWords(with byte: UInt8) -> [Place] {
    var seen: Set<Int> = []
    let nodes: [(Int, WordList?)] =
      places.isEmpty
      ? [(GrammarGraph.start, nil)]
      : places.filter(isWhole).map { (graph.edges[$0.word.edge].target, $0.word) }
    return nodes.flatMap { node, word in
      graph.edges(from: node, beginningWith: byte).filter { seen.insert($0).inserted }
        .map { (WordList($0, start: byteCount, after: word), 1) }
    }
  }
}
