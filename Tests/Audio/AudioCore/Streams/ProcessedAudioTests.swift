import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct ProcessedAudioTests {
  @Test func `processing a nonthrowing stream yields a nonthrowing stream`() async {
    let source = AsyncStream<AudioBuffer> { $0.finish() }
    // This compiles only if the stream's `Failure` is `Never`.
    for await _ in source.amplified(by: 2).rechunked(to: 4).metered() {}
  }

  @Test func `typed errors keep their type`() async {
    let stream = Failing().amplified(by: 2)
    do throws(Failing.Refusal) {
      for try await _ in stream {}
      Issue.record("the stream has to fail")
    } catch {
      #expect(error == .refused)
    }
  }

  @Test func `each iteration has its own processor`() async throws {
    let stream = StreamOf(counting(4..<7)).numbered(from: 0)
    for _ in 0..<2 {
      for try await buffer in stream { #expect(buffer.firstFrame == 0) }
    }
  }

  @Test
  func `if the processor rejects a buffer, the stream throws and yields no part of the buffer`() {
    let result = audioDiagram("abc-|").run(symbol: drawn) { $0[0].processed(by: Refuser()) }
    #expect(result == .init(output: "[<0 1>][<2 3>]^--", taken: ["abc--"]))
  }

  @Test func `audio that the processor holds is yielded before an error of the source`() {
    let result = audioDiagram("a^").run(symbol: drawn) {
      $0[0].rechunked(to: 3).processed(by: Refuser())
    }
    #expect(result.output == "-[<0 1>^]")
  }

  @Test func `the source gets no request after the processor has ended`() {
    let result = audioDiagram("ab|").run(symbol: drawn) { $0[0].prefix(.seconds(0)) }
    #expect(result == .init(output: "|--", taken: ["---"]))
  }

  @Test func `a canceled consumer gets the end of the stream`() {
    let result = audioDiagram("a--b|").run(demand: "*-;", symbol: drawn) {
      $0[0].amplified(by: 1)
    }
    #expect(result.output == "[<0 1>]-|--")
  }
}

/// Rejects frame 4 and all later frames.
private struct Refuser: AudioProcessor {
  struct Refusal: Error {}

  func process(_ buffer: AudioBuffer) throws(Refusal) -> [AudioBuffer] {
    if buffer.firstFrame >= 4 { throw Refusal() }
    return [buffer]
  }
}

private struct Failing: AsyncSequence, Sendable {
  enum Refusal: Error { case refused }
  typealias Element = AudioBuffer

  struct Iterator: AsyncIteratorProtocol {
    func next(isolation actor: isolated (any Actor)?) async throws(Refusal) -> AudioBuffer? {
      throw .refused
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator() }
}

/// A sequence that yields the same buffers in every iteration.
struct StreamOf: AsyncSequence, Sendable {
  typealias Element = AudioBuffer
  typealias Failure = Never

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<AudioBuffer>

    mutating func next(isolation actor: isolated (any Actor)?) async -> AudioBuffer? {
      rest.popFirst()
    }
  }

  private let buffers: [AudioBuffer]

  init(_ buffers: AudioBuffer...) { self.buffers = buffers }

  func makeAsyncIterator() -> Iterator { Iterator(rest: buffers[...]) }
}
