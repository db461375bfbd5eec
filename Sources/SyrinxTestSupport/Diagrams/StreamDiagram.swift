/// Runs stream operators step by step without a clock; inputs and outputs are text, a column for
/// each step.
///
/// ```swift
/// let result = StreamDiagram(inputs: ["ab--c|"]).run { $0[0].filter { $0 != "b" } }
/// #expect(result.output == "a---c|")
/// ```
///
/// Each column of an input contains what arrives in that step:
///
/// | column | what happens |
/// |---|---|
/// | any other character | this element arrives; it waits until it is requested |
/// | `[ab]` | these elements arrive in one column |
/// | `-` | nothing |
/// | `\|` | the input ends, after the waiting elements |
/// | `^` | the input fails with `StreamDiagramError`, after the waiting elements |
///
/// Each column of a consumer contains its requests. The last column applies to all later steps:
///
/// | column | what the consumer does |
/// |---|---|
/// | `*` | it requests the next element after each element |
/// | `1`…`9` | it requests this many more elements |
/// | `-` | it requests nothing; requested elements still come |
/// | `;` | its task is canceled and continues to request elements as with `*` |
/// | `!` | it leaves its loop, and releases the stream |
///
/// In each column, the consumers act first, in their order, and then the inputs in theirs. The
/// result shows in each column what the consumer received, in the same notation. The longest text
/// determines the number of columns.
///
/// Everything runs on the thread that calls `run`, which returns after the last column. A column
/// ends when every task of the diagram waits. The diagram does not wait for work on an operator's
/// own thread, or in a `Task` that does not prefer `executor`.
public struct StreamDiagram<Element: Sendable>: Sendable {
  /// The columns of each input.
  public var inputs: [String]

  /// Returns the element for a letter.
  public var element: @Sendable (Character) -> Element

  /// The executor of the diagram's tasks; an operator's own tasks can prefer it, as in
  /// `broadcast(on:)`.
  public var executor: any TaskExecutor { steps }

  private let steps = StepExecutor()

  /// Creates a diagram whose letters stand for elements.
  public init(inputs: [String], element: @escaping @Sendable (Character) -> Element) {
    self.inputs = inputs
    self.element = element
  }

  /// Runs one operator with one consumer.
  ///
  /// - Parameters:
  ///   - demand: the consumer's requests; by default it requests everything.
  ///   - symbol: the drawing of an element, by default its description; several characters are put
  ///     in brackets.
  ///   - makeStream: applies the operator to the inputs.
  public func run<Stream: AsyncSequence>(
    demand: String = "*",
    symbol: @escaping @Sendable (Stream.Element) -> String = { "\($0)" },
    _ makeStream: ([DiagramInput<Element>]) -> Stream
  ) -> StreamDiagramResult where Stream: Sendable {
    let (outputs, taken) = run(demands: [demand], symbol: symbol) { [makeStream($0)] }
    return StreamDiagramResult(output: outputs[0], taken: taken)
  }

  /// Runs several streams made from the same inputs, each with its own consumer.
  ///
  /// - Parameters:
  ///   - demands: the requests of each consumer.
  ///   - symbol: the drawing of an element, by default its description; several characters are put
  ///     in brackets.
  ///   - makeStreams: applies the operators to the inputs.
  /// - Returns: the elements that each consumer received, and the elements taken from each input.
  public func run<Stream: AsyncSequence>(
    demands: [String],
    symbol: @escaping @Sendable (Stream.Element) -> String = { "\($0)" },
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
  /// Creates a diagram whose elements are the letters themselves.
  public init(inputs: [String]) {
    self.init(inputs: inputs) { $0 }
  }
}

/// The result of a diagram with one consumer.
public struct StreamDiagramResult: Equatable, Sendable {
  /// The elements that the consumer received, column by column.
  public var output: String
  /// The elements consumed from each input, column by column.
  ///
  /// An element is in the column of the step in which the operator requested it.
  public var taken: [String]

  /// Creates an expected result.
  public init(output: String, taken: [String]) {
    (self.output, self.taken) = (output, taken)
  }
}

/// The error that an input throws in a `^` column.
public struct StreamDiagramError: Error, Equatable {}

extension String {
  /// Returns the character of a column; after the end, the last character.
  fileprivate func symbol(at column: Int) -> Character {
    dropFirst(column).first ?? last ?? "*"
  }
}

/// The columns of a drawing, each with its characters; a `-` has none.
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

/// A drawing of events, column by column.
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
