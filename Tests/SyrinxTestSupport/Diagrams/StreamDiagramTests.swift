import AudioCore
import Synchronization
import SyrinxTestSupport
import Testing

@Suite struct StreamDiagramTests {
  private func run(
    _ input: String, demand: String = "*"
  ) -> StreamDiagramResult {
    StreamDiagram(inputs: [input]).run(demand: demand, symbol: { "\($0)" }) { $0[0] }
  }

  @Test func `with unlimited demand, each element is drawn in the column in which it arrives`() {
    #expect(run("ab--c|").output == "ab--c|")
    #expect(run("a[bc]-[d|]").output == "a[bc]-[d|]")
    #expect(run("a-^").output == "a-^")
  }

  @Test func `a stream that continues after the last column has no end symbol`() {
    #expect(run("a--").output == "a--")
  }

  @Test func `elements wait until they are requested`() {
    #expect(run("[abc]|", demand: "-1-2-*") == .init(output: "-a-[bc]-|", taken: ["-a-[bc]--"]))
  }

  @Test func `a single request waits until its element arrives`() {
    #expect(run("--a-b|", demand: "1---").output == "--a---")
  }

  @Test func `consumed elements of an input are drawn in the column of their request`() {
    let result = StreamDiagram(inputs: ["abcd|"]).run(demand: "-1-*", symbol: { "\($0)" }) {
      $0[0].filter { $0 != "a" }
    }
    #expect(result == .init(output: "-b-[cd]|", taken: ["-[ab]-[cd]-"]))
  }

  @Test func `a canceled consumer gets the end of the input`() {
    #expect(run("a--b|", demand: "**;").output == "a-|--")
  }

  @Test func `a consumer that leaves makes no further requests`() {
    #expect(run("a-bc|", demand: "**!") == .init(output: "a----", taken: ["a----"]))
  }

  @Test func `a consumer that leaves releases its stream`() {
    let gone = Flag()
    let diagram = StreamDiagram(inputs: ["ab-|"])
    _ = diagram.run(demand: "*!", symbol: { (letter: Character) in "\(letter)" }) { inputs in
      inputs[0].map { [keeper = Keeper(gone)] letter in keeper.passed(letter) }
    }
    #expect(gone.isRaised)
  }

  @Test func `each consumer has its own columns in the diagram`() {
    let (outputs, taken) = StreamDiagram(inputs: ["ab|", "-x|"]).run(
      demands: ["*", "--*"], symbol: { "\($0)" }
    ) { $0 }
    #expect(outputs == ["ab|", "--[x|]"])
    #expect(taken == ["ab-", "--x"])
  }

  @Test func `a column includes the work of tasks on the diagram's executor`() {
    let diagram = StreamDiagram(inputs: ["a-b|"])
    let result = diagram.run(symbol: { "\($0)" }) { inputs in
      AsyncThrowingStream<Character, any Error> { continuation in
        Task(executorPreference: diagram.executor) {
          for try await letter in inputs[0] { continuation.yield(letter) }
          continuation.finish()
        }
      }
    }
    #expect(result.output == "a-b|")
  }

  @Test func `a letter of a diagram can represent any element`() {
    let diagram = StreamDiagram(inputs: ["12-3|"]) { $0.wholeNumberValue ?? 0 }
    let result = diagram.run(symbol: { "\($0)" }) { $0[0].map { $0 * 4 } }
    #expect(result.output == "48-[12]|")
  }
}

/// The examples of `SyrinxTestSupport.docc`.
@Suite struct StreamDiagramExampleTests {
  @Test func `an element is drawn as its description by default`() {
    let letters = StreamDiagram(inputs: ["ab--c|"]).run { $0[0].filter { $0 != "b" } }
    #expect(letters == StreamDiagramResult(output: "a---c|", taken: ["ab--c-"]))
    let texts = StreamDiagram(inputs: ["ab|"]).run { $0[0].map { "\($0)\($0)" } }
    #expect(texts.output == "[aa][bb]|")
    let (outputs, _) = StreamDiagram(inputs: ["a|", "-x|"]).run(demands: ["*", "*"]) { $0 }
    #expect(outputs == ["a|-", "-x|"])
  }

  @Test func `a diagram of audio shows the number of frames in each buffer`() {
    let audio = StreamDiagram(inputs: ["ab-c|"]) { _ in AudioBuffer(silence: 160, format: .speech) }
    let beginning = audio.run(symbol: { "\($0.frameCount.rawValue)" }) {
      $0[0].prefix(.milliseconds(15))
    }
    #expect(beginning == StreamDiagramResult(output: "[160][80|]---", taken: ["ab---"]))
  }
}

private final class Flag: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

private final class Keeper: Sendable {
  private let flag: Flag
  init(_ flag: Flag) { self.flag = flag }
  func passed(_ letter: Character) -> Character { letter }
  deinit { flag.raise() }
}
