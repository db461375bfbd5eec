/// Runs operators on streams step by step, drawn as text with a column per step, without time.
///
/// ```swift
/// let result = StreamDiagram(inputs: ["ab--c|"]).run(symbol: { "\($0)" }) { inputs in
///   inputs[0].filter { $0 != "b" }
/// }
/// #expect(result.output == "a---c|")
/// ```
///
/// An input has in each column what arrives there, as from a microphone:
///
/// | column | what happens |
/// |---|---|
/// | a letter or digit | this element arrives; it waits until it is asked for |
/// | `[ab]` | these arrive, in one column |
/// | `-` | nothing |
/// | `\|` | the input ends, after what waits |
/// | `^` | the input fails with `StreamDiagramError`, after what waits |
///
/// A consumer has in each column how often it asks for the next element. After its last column it
/// goes on as in that one:
///
/// | column | what the consumer does |
/// |---|---|
/// | `*` | it asks whenever it has got what it asked for |
/// | `1`…`9` | it asks so many times more |
/// | `-` | it asks no more; what it has asked for still comes |
/// | `;` | its task is cancelled, and goes on asking as with `*` |
/// | `!` | it leaves its loop, and releases the stream |
///
/// In a column consumers come first, then the inputs, each in their order. The result has in each
/// column what the consumer got, in the same notation. A diagram is as long as its longest text.
///
/// Everything happens on the thread that calls `run`, which returns when the last column is over:
/// each column goes on until every task of the diagram waits. What an operator does elsewhere, on a
/// thread of its own or in a `Task` without this executor preference, is not waited for.
public struct StreamDiagram<Element: Sendable>: Sendable {
  /// What arrives, an input each.
  public var inputs: [String]

  /// Makes an element of its letter.
  public var element: @Sendable (Character) -> Element

  /// Where the tasks of the diagram run; an operator that starts a task of its own can prefer it.
  public var executor: any TaskExecutor { steps }

  private let steps = StepExecutor()

  /// A diagram whose letters stand for elements.
  public init(inputs: [String], element: @escaping @Sendable (Character) -> Element) {
    self.inputs = inputs
    self.element = element
  }

  /// Runs one operator with one consumer.
  ///
  /// - Parameters:
  ///   - demand: what the consumer asks for; by default everything.
  ///   - symbol: how an element is drawn; more than one character is put in brackets.
  ///   - makeStream: the operator on the inputs.
  public func run<Stream: AsyncSequence>(
    demand: String = "*", symbol: @escaping @Sendable (Stream.Element) -> String,
    _ makeStream: ([DiagramInput<Element>]) -> Stream
  ) -> StreamDiagramResult where Stream: Sendable {
    let (outputs, taken) = run(demands: [demand], symbol: symbol) { [makeStream($0)] }
    return StreamDiagramResult(output: outputs[0], taken: taken)
  }

  /// Runs several streams made of the same inputs, each with a consumer.
  ///
  /// - Returns: what each consumer got, and what was taken from each input.
  public func run<Stream: AsyncSequence>(
    demands: [String], symbol: @escaping @Sendable (Stream.Element) -> String,
    _ makeStreams: ([DiagramInput<Element>]) -> [Stream]
  ) -> (outputs: [String], taken: [String]) where Stream: Sendable {
    let columns = inputs.map(DiagramColumns.init(drawing:))
    let sources = inputs.map { _ in DiagramInput<Element>() }
    let consumers = makeStreams(sources).map {
      DiagramConsumer($0, symbol: symbol, executor: steps)
    }
    let length = (columns.map(\.count) + demands.map(\.count)).max() ?? 0
    for column in 0..<length {
      for (consumer, demand) in zip(consumers, demands) {
        consumer.step(demand.symbol(at: column))
        steps.runUntilQuiet()
      }
      for (source, columns) in zip(sources, columns) {
        source.step(columns[column], element)
        steps.runUntilQuiet()
      }
      for source in sources { source.endColumn() }
      for consumer in consumers { consumer.endColumn() }
    }
    for consumer in consumers { consumer.step("!") }
    steps.runUntilQuiet()
    return (consumers.map(\.output), sources.map(\.taken))
  }
}

extension StreamDiagram<Character> {
  /// A diagram whose elements are the letters themselves.
  public init(inputs: [String]) {
    self.init(inputs: inputs) { $0 }
  }
}

/// What came out of a diagram with one consumer.
public struct StreamDiagramResult: Equatable, Sendable {
  /// What the consumer got, column by column.
  public var output: String
  /// What was taken from each input, column by column: where demand reached it.
  public var taken: [String]

  /// A result to compare with.
  public init(output: String, taken: [String]) {
    (self.output, self.taken) = (output, taken)
  }
}

/// What an input of a diagram fails with.
public struct StreamDiagramError: Error, Equatable {}

extension String {
  /// The character of a column; after the end, the last one.
  fileprivate func symbol(at column: Int) -> Character {
    dropFirst(column).first ?? last ?? "*"
  }
}

/// The columns of a drawing: the characters of each, none for a `-`.
private struct DiagramColumns: Equatable {
  private var columns: [[Character]] = []

  init(drawing: String) {
    var group: [Character]?
    for character in drawing {
      switch character {
      case "[": group = []
      case "]":
        columns.append(group ?? [])
        group = nil
      default:
        if group?.append(character) == nil { columns.append(character == "-" ? [] : [character]) }
      }
    }
  }

  var count: Int { columns.count }

  /// The characters of a column; none after the end.
  subscript(column: Int) -> [Character] {
    column < columns.count ? columns[column] : []
  }
}

/// Draws what happens, column by column.
struct DiagramDrawing {
  private(set) var text = ""
  private var column = ""

  mutating func add(_ symbol: String) { column += symbol }

  mutating func endColumn() {
    switch column.count {
    case 0: text += "-"
    case 1: text += column
    default: text += "[\(column)]"
    }
    column = ""
  }
}
