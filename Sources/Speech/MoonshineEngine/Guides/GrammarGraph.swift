import SpeechEngine
import Synchronization

/// The sentences of a grammar as a graph: its edges are words, its nodes are the gaps between
/// words.
final class GrammarGraph: Sendable {
  /// A word, and the node that follows it.
  struct Edge: Sendable {
    /// The word as the grammar writes it.
    let word: String
    let spelling: [UInt8]
    let target: Int
  }

  private struct Node: Sendable {
    var edges: [Int] = []
    /// The nodes that are reached from this node without a word.
    var neighbors: [Int] = []
  }

  static let start = 0
  private static let end = 1

  let edges: [Edge]
  private let nodes: [Node]
  // The lock is held to look up a node's followers, and while they are computed for the first time.
  private let followers = Mutex<[Int: Followers]>([:])

  /// The edges that follow a node, by the first byte of the edge's word; and whether a sentence may
  /// end at the node.
  private typealias Followers = (edges: [UInt8: [Int]], isEnd: Bool)

  /// - Throws: `.grammarInvalid`, even for a valid grammar if it exceeds the limits.
  init(_ grammar: JSGFGrammar) throws(SpeechEngineError) {
    try grammar.checkExpansion()
    var builder = Builder(grammar: grammar)
    for rule in grammar.publicRules {
      let last = try builder.add(.rule(rule, line: 1), from: Self.start)
      if let last { builder.connect(last, to: Self.end) }
    }
    (edges, nodes) = (builder.edges, builder.nodes)
  }

  /// Whether a sentence may end at a node.
  func isEnd(_ node: Int) -> Bool { followers(of: node).isEnd }

  /// Returns the edges of the words that may follow a node and begin with this byte.
  func edges(from node: Int, beginningWith byte: UInt8) -> [Int] {
    followers(of: node).edges[byte] ?? []
  }

  private func followers(of node: Int) -> Followers {
    followers.withLock { known in
      if let followers = known[node] { return followers }
      let followers = findFollowers(of: node)
      known[node] = followers
      return followers
    }
  }

  /// Collects the followers by visiting the node and all nodes that are reached from it without a
  /// word.
  private func findFollowers(of node: Int) -> Followers {
    var followers: Followers = ([:], false)
    var reached: Set = [node]
    var open = [node]
    while let next = open.popLast() {
      if next == Self.end { followers.isEnd = true }
      for edge in nodes[next].edges {
        followers.edges[edges[edge].spelling.first ?? 0, default: []].append(edge)
      }
      for neighbor in nodes[next].neighbors where reached.insert(neighbor).inserted {
        open.append(neighbor)
      }
    }
    return followers
  }

  /// Builds the graph by inserting each rule wherever its name occurs.
  private struct Builder {
    let grammar: JSGFGrammar
    private(set) var edges: [Edge] = []
    private(set) var nodes = [Node(), Node()]
    /// The first node of each rule that is being built.
    private var open: [String: Int] = [:]

    init(grammar: JSGFGrammar) {
      self.grammar = grammar
    }

    /// Adds a part after a node.
    ///
    /// - Returns: the node at the end of the part; nil if the part has no end, like a rule that
    ///   continues with itself.
    mutating func add(
      _ part: JSGFExpansion, from node: Int
    ) throws(SpeechEngineError) -> Int? {
      switch part {
      case .word(let word, _): return addWord(word, from: node)
      case .rule(let name, let line):
        return try add(rule: JSGFExpansion.unqualified(name), line, from: node)
      case .sequence(let parts):
        var last = node
        for part in parts {
          guard let next = try add(part, from: last) else { return nil }
          last = next
        }
        return last
      case .choice(let choices):
        var end: Int?
        for choice in choices {
          guard let last = try add(choice, from: node) else { continue }
          let target = end ?? addNode()
          connect(last, to: target)
          end = target
        }
        return end
      case .repetition(let part, let isRequired, _):
        let start = addNode(after: node)
        let last = try add(part, from: start)
        if let last { connect(last, to: start) }
        return isRequired ? last : start
      }
    }

    private mutating func addWord(_ word: String, from node: Int) -> Int {
      let spelling = word.spelling
      let target = addNode()
      if spelling.isEmpty {
        connect(node, to: target)
      } else {
        nodes[node].edges.append(edges.count)
        edges.append(Edge(word: word, spelling: spelling, target: target))
      }
      return target
    }

    private mutating func add(
      rule: String, _ line: Int, from node: Int
    ) throws(SpeechEngineError) -> Int? {
      if let start = open[rule] {
        connect(node, to: start)
        return nil
      }
      let start = addNode(after: node)
      open[rule] = start
      defer { open[rule] = nil }
      return try add(grammar.expansion(of: rule, line: line), from: start)
    }

    private mutating func addNode(after node: Int? = nil) -> Int {
      nodes.append(Node())
      if let node { connect(node, to: nodes.count - 1) }
      return nodes.count - 1
    }

    mutating func connect(_ node: Int, to other: Int) {
      nodes[node].neighbors.append(other)
    }
  }
}
