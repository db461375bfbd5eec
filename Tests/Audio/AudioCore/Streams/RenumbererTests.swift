import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct RenumbererTests {
  @Test func `renumbering starts at the given index and keeps gaps`() throws {
    let output = try all(Renumberer(from: 5), counting(90..<92), counting(95..<96))
    #expect(output.map(\.firstFrame) == [5, 10])
    #expect(output.map(\.samples) == [[90, 91], [95]])
  }

  @Test func `each renumbered buffer is yielded without delay`() {
    let result = audioDiagram("c-d|").run(symbol: { "\($0.firstFrame.rawValue)" }) {
      $0[0].numbered(from: 1)
    }
    #expect(result.output == "1-3|")
  }
}
