/// The position of a text within the sentences of a grammar.
struct GrammarProgress: SpellingReader, Sendable {
  /// A place in the graph that the text may have reached.
  private struct Place: Sendable {
    let edge: Int
    /// The number of bytes of the word that have been read.
    let offset: Int
    /// The words of the text in reverse order, beginning with this one.
    let words: WordList
  }

  /// The text after the last byte.
  private enum Gap { case none, mark, space }

  /// Words from the last to the first, which texts with the same beginning share.
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
  private var gap = Gap.space
  private var isAfterApostrophe = false
  private var byteCount = 0

  /// Creates the progress of an empty text; a leading space is allowed.
  init(_ graph: GrammarGraph) {
    self.graph = graph
  }

  /// Whether the text is a whole sentence.
  var mayEnd: Bool { last != nil }

  /// The words of the sentence as the grammar writes them, and where in the text's spelling each
  /// begins; empty if it is not a whole sentence.
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
    places.first { isWhole($0) && graph.isEnd(graph.edges[$0.edge].target) }?.words
  }

  func reading(_ byte: UInt8) -> GrammarProgress? {
    var next = self
    next.byteCount += 1
    next.isAfterApostrophe = false
    switch byte {
    case Spelling.space:
      if gap == .space { return byteCount == 0 ? next : nil }
      if gap == .none { next.places = places.compactMap(enteringGap) }
      next.gap = .space
    case Spelling.mark:
      guard gap == .none else { return nil }
      next.places = places.compactMap(enteringGap)
      next.gap = .mark
    default:
      let begun = gap == .none ? [] : beginningWords(with: byte)
      next.places = places.compactMap { continuing($0, with: byte) } + begun
      next.gap = .none
    }
    return next.places.isEmpty ? nil : next
  }

  /// The progress after an apostrophe, which has no spelling; one may follow a letter.
  var readingApostrophe: GrammarProgress? {
    guard gap == .none, !isAfterApostrophe else { return nil }
    var next = self
    next.isAfterApostrophe = true
    return next
  }

  private func isWhole(_ place: Place) -> Bool {
    place.offset == graph.edges[place.edge].spelling.count
  }

  /// A word may end at a gap, or have one itself.
  private func enteringGap(_ place: Place) -> Place? {
    isWhole(place) ? place : continuing(place, with: Spelling.space)
  }

  private func continuing(_ place: Place, with byte: UInt8) -> Place? {
    let spelling = graph.edges[place.edge].spelling
    guard place.offset < spelling.count, spelling[place.offset] == byte else { return nil }
    return Place(edge: place.edge, offset: place.offset + 1, words: place.words)
  }

  /// The words that begin with this byte after the complete words.
  private func beginningWords(with byte: UInt8) -> [Place] {
    var seen: Set<Int> = []
    let nodes: [(Int, WordList?)] =
      places.isEmpty
      ? [(GrammarGraph.start, nil)]
      : places.filter(isWhole).map { (graph.edges[$0.edge].target, $0.words) }
    return nodes.flatMap { node, words in
      graph.edges(from: node, beginningWith: byte).filter { seen.insert($0).inserted }
        .map { Place(edge: $0, offset: 1, words: WordList($0, start: byteCount, after: words)) }
    }
  }
}
