import AudioThreads
import Testing

@Suite struct GateTests {
  @Test func `an open gate lets through those who waited and those who come later`() async {
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
