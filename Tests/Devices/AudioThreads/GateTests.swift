import AudioThreads
import Testing

@Suite struct GateTests {
  @Test func `opening a gate ends current and later waits`() async {
    let gate = Gate()
    async let first: Void = gate.wait()
    async let second: Void = gate.wait()
    #expect(!gate.isOpen)
    gate.open()
    gate.open()
    await first
    await second
    await gate.wait()
    #expect(gate.isOpen)
  }
}
