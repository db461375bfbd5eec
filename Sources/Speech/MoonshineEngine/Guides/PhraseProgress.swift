/// The position of a text within phrases that are likely to be spoken.
///
/// Each matching letter of a phrase adds a bonus; the bonus is lost if the text leaves the phrase
/// before its end.
struct PhraseProgress: Sendable {
  /// A node of the prefix tree of the phrases' spellings.
  private struct Node: Sendable {
    var children: [UInt8: Int] = [:]
    var isEnd = false
    /// The number of bytes from the root to the node.
    var depth = 0
    /// The length of the longest complete phrase on the way to this node.
    var wholeDepth = 0
  }

  /// The bonus of each letter of a phrase, as the logarithm of a probability.
  static let perLetter: Float = 0.4
  /// The maximum bonus of a phrase.
  static let most: Float = 6

  /// The tree; the first node is its root.
  private var nodes = [Node()]
  /// The nodes of the tree that the text has reached.
  private var places: [Int] = []
  /// The bonus of the complete phrases.
  private var earned: Float = 0

  /// Creates the progress of an empty text; phrases without words are ignored.
  init(_ phrases: [String]) {
    // A phrase at the beginning of a longer phrase is inserted before the longer phrase, as
    // `wholeDepth` requires.
    for spelling in phrases.map(\.spelling).sorted(by: { $0.count < $1.count })
    where !spelling.isEmpty { insert([.space] + spelling) }
  }

  private mutating func insert(_ spelling: [UInt8]) {
    var node = 0
    for byte in spelling {
      if let child = nodes[node].children[byte] {
        node = child
      } else {
        let parent = nodes[node]
        let isAfterPhrase = byte == .space && parent.isEnd
        nodes.append(
          Node(
            depth: parent.depth + 1, wholeDepth: isAfterPhrase ? parent.depth : parent.wholeDepth))
        nodes[node].children[byte] = nodes.count - 1
        node = nodes.count - 1
      }
    }
    nodes[node].isEnd = true
  }

  /// Whether no phrase contains a word.
  var isEmpty: Bool { nodes.count == 1 }

  /// The bonus of the text so far.
  var worth: Float { earned + (places.map(worth(of:)).max() ?? 0) }

  /// The bonus of the text if it ends here.
  var worthAtEnd: Float { endingWord().earned }

  /// Returns the progress after `spelling` is appended to the text's spelling.
  func reading(_ spelling: [UInt8]) -> PhraseProgress {
    spelling.reduce(self) { $0.advanced(by: $1) }
  }

  /// Returns the progress after the next byte of the text's spelling; nil if the text is then not
  /// within any phrase.
  func reading(_ byte: UInt8) -> PhraseProgress? {
    let next = advanced(by: byte)
    return next.places.isEmpty ? nil : next
  }

  private func advanced(by byte: UInt8) -> PhraseProgress {
    let isGap = byte == .space || byte == .mark
    var next = isGap ? endingWord() : self
    // Between the words of a phrase, a punctuation mark only ends the word; the phrase continues.
    if byte == .mark { return next }
    next.places = next.places.compactMap { nodes[$0].children[byte] }
    if byte == .space, let first = nodes[0].children[byte] {
      next.places.append(first)
    }
    return next
  }

  private func endingWord() -> PhraseProgress {
    var next = self
    let whole = places.filter { nodes[$0].isEnd }
    next.earned += whole.map(worth(of:)).max() ?? 0
    next.places = places.filter { !nodes[$0].children.isEmpty }
    return next
  }

  /// Returns the bonus of the letters that lead to a node, minus the part that `earned` already
  /// contains.
  ///
  /// That part is the bonus of the longest complete phrase at the beginning of these letters.
  private func worth(of place: Int) -> Float {
    let node = nodes[place]
    return Self.worth(ofLetters: node.depth) - Self.worth(ofLetters: node.wholeDepth)
  }

  private static func worth(ofLetters count: Int) -> Float {
    min(most, Float(count) * perLetter)
  }
}
