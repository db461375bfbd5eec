import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct StartGateTests {
  private let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(20))
  private let audio = Steps.audio((0.001, 500), (0.5, 100))

  @Test(arguments: [(0, 1), (0, 50), (30, 7), (30, 50), (30, 600), (500, 50), (800, 50)])
  func `a recording begins with the pre-roll before the sound`(preRoll: Int, size: Int) throws {
    var gate = StartGate(
      preRoll: FrameCount(preRoll), trigger: SoundTrigger(rule, rate: 1_000))
    var rest = audio.cut(size)[...]
    var beginning: StartGate.Beginning?
    while beginning == nil, let buffer = rest.popFirst() {
      beginning = gate.process(buffer)
      #expect(gate.heldFrames.rawValue <= preRoll + 20 + size)
    }
    let begun = try #require(beginning)
    let got = min(preRoll, 500)
    #expect(begun.preRoll == FrameCount(got))
    let samples = begun.buffers.flatMap(\.samples) + rest.flatMap(\.samples)
    #expect(samples == Array(audio.samples[(500 - got)...]))
  }

  @Test func `a command begins a recording with the pre-roll before it`() {
    var gate = StartGate(preRoll: 30, trigger: nil)
    for buffer in audio.cut(50) { #expect(gate.process(buffer) == nil) }
    let beginning = gate.begin()
    #expect(beginning.preRoll == 30)
    #expect(beginning.buffers.flatMap(\.samples) == Array(audio.samples.suffix(30)))
  }
}
