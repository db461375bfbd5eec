import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct RechunkerTests {
  @Test func `rechunked buffers have the requested length`() throws {
    let output = try all(Rechunker(size: 4), counting(0..<3), counting(3..<10), counting(10..<11))
    #expect(output == [counting(0..<4), counting(4..<8), counting(8..<11)])
  }

  @Test func `rechunking keeps the channels of a frame together`() throws {
    let stereo = AudioFormat(sampleRate: 10, channelCount: 2)
    let input = AudioBuffer(format: stereo, samples: [1, 2, 3, 4, 5, 6], firstFrame: 7)
    let output = try all(Rechunker(size: 2), input)
    #expect(output.map(\.samples) == [[1, 2, 3, 4], [5, 6]])
    #expect(output.map(\.firstFrame) == [7, 9])
  }

  @Test func `the last buffer is padded if requested`() throws {
    let output = try all(Rechunker(size: 4, rest: .padded), counting(0..<5))
    #expect(output == [counting(0..<4), audio([4, 0, 0, 0], at: 4)])
  }

  @Test func `a full last buffer is not followed by padding`() throws {
    #expect(try all(Rechunker(size: 2, rest: .padded), counting(0..<4)).count == 2)
  }

  @Test func `rechunking keeps gaps at their position`() throws {
    let output = try all(Rechunker(size: 4), counting(0..<6), counting(7..<12))
    #expect(
      output == [counting(0..<4), counting(4..<6), counting(7..<11), counting(11..<12)])
  }

  @Test func `a gap within a padded buffer becomes silence of the same length`() throws {
    let output = try all(Rechunker(size: 4, rest: .padded), counting(0..<6), counting(7..<8))
    #expect(output == [counting(0..<4), audio([4, 5, 0, 7], at: 4)])
  }

  @Test(arguments: [8, 9, 100])
  func `after a padded buffer that reaches into a gap, later frames keep their position`(
    next: Int
  ) throws {
    let output = try all(
      Rechunker(size: 4, rest: .padded), counting(0..<6), counting(next..<next + 4))
    #expect(output == [counting(0..<4), audio([4, 5, 0, 0], at: 4), counting(next..<next + 4)])
  }

  @Test func `frames with earlier indices begin a new buffer`() throws {
    let output = try all(Rechunker(size: 4), counting(0..<6), counting(0..<2))
    #expect(output == [counting(0..<4), counting(4..<6), counting(0..<2)])
  }

  @Test func `a change of format begins a new buffer`() throws {
    let output = try all(
      Rechunker(size: 4), counting(0..<2), AudioBuffer(silence: 3, format: .speech, firstFrame: 2))
    #expect(output.map(\.format) == [slow, .speech])
  }

  @Test func `a rechunked buffer is yielded as soon as it is complete`() {
    let diagram = audioDiagram("ab-c[dg]|")
    let short = diagram.run(symbol: drawn) { $0[0].rechunked(to: 3) }
    #expect(short.output == "-[<0 1 2>]-[<3 4 5>][<6 7>]" + "[<12 13>|]")
  }

  @Test func `one request consumes only the buffers that it needs`() {
    let result = audioDiagram("[abc]--|").run(demand: "11-", symbol: drawn) {
      $0[0].rechunked(to: 1)
    }
    #expect(result == .init(output: "[<0>][<1>]--", taken: ["a---"]))
  }

  @Test func `held frames are yielded before an error`() {
    let result = audioDiagram("ab^").run(symbol: drawn) { $0[0].rechunked(to: 3) }
    #expect(result.output == "-[<0 1 2>][<3>^]")
  }

  @Test func `a rechunker holds at most one incomplete buffer over hours of audio`() throws {
    #expect(try mostHeld(by: Rechunker(size: 1_023)) < 1_023)
  }
}
