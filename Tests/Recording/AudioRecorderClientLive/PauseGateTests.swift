import AudioCore
import Testing

@testable import AudioRecorderClientLive

@Suite struct PauseGateTests {
  private let block = Steps.audio((1, 10))

  @Test func `a pause begins and ends with a fade, and the audio between is omitted`() throws {
    var gate = PauseGate(fade: 3)
    #expect(gate.process(block) == (block, .unchanged))
    gate.pause()
    let last = gate.process(block)
    #expect(last.step == .paused)
    #expect(last.kept?.samples == [0.75, -0.5, 0.25])
    #expect(gate.process(block) == (nil, .unchanged))
    gate.resume()
    let first = gate.process(block)
    #expect(first.step == .resumed)
    #expect(first.kept?.samples.prefix(4) == [0.25, -0.5, 0.75, -1])
    #expect(first.kept?.frameCount == 10)
    #expect(gate.process(block) == (block, .unchanged))
  }

  @Test func `a pause that ends before the next block omits nothing`() {
    var gate = PauseGate(fade: 3)
    gate.pause()
    gate.resume()
    #expect(gate.process(block) == (block, .unchanged))
  }

  @Test func `a block shorter than the fade is faded completely`() {
    var gate = PauseGate(fade: 100)
    gate.pause()
    #expect(gate.process(block).kept?.frameCount == 10)
    #expect(gate.isPaused)
  }
}
