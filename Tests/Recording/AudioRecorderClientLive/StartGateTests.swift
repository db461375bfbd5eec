import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct StartGateTests {
  private let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(20))
  private let audio = Steps.audio((0.001, 500), (0.5, 100))

  @Test(arguments: [(0, 1), (0, 50), (30, 7), (30, 50), (30, 600), (500, 50), (800, 50)])
  func `a recording begins with the pre-roll before the sound`(preRoll: Int, size: Int) throws {
    var gate = StartGate(rule, preRoll: .milliseconds(preRoll), rate: 1_000)
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

  @Test func `a command begins a recording with the pre-roll before the command`() {
    var gate = StartGate(nil, preRoll: .milliseconds(30), rate: 1_000)
    for buffer in audio.cut(50) { #expect(gate.process(buffer) == nil) }
    let beginning = gate.begin()
    #expect(beginning.preRoll == 30)
    #expect(beginning.buffers.flatMap(\.samples) == Array(audio.samples.suffix(30)))
  }

  private func onset(_ audio: AudioBuffer, hold: Duration, cut size: Int) -> FrameCount? {
    let rule = LevelRule(threshold: Decibels(-40), hold: hold)
    var gate = StartGate(rule, preRoll: .zero, rate: audio.format.sampleRate)
    var position: FrameCount = 0
    for buffer in audio.cut(size) {
      position += buffer.frameCount
      guard let beginning = gate.process(buffer) else { continue }
      return beginning.buffers.reduce(position) { $0 - $1.frameCount }
    }
    return nil
  }

  @Test(arguments: [1, 7, 50, 1_000])
  func `a sound begins with its first loud frame, whatever the size of buffers`(size: Int) {
    let audio = Steps.audio((0, 333), (0.5, 100))
    #expect(onset(audio, hold: .milliseconds(100), cut: size) == 333)
    #expect(onset(audio, hold: .zero, cut: size) == 333)
    #expect(onset(audio, hold: .milliseconds(101), cut: size) == nil)
  }

  // A first buffer of one sample has no level, because the sample may be a constant offset.
  @Test(arguments: [2, 7, 50, 1_000])
  func `a pause of up to 50 ms belongs to the sound, and a longer pause ends the sound`(size: Int) {
    let short = Steps.audio((0.5, 60), (0, 49), (0.5, 60))
    #expect(onset(short, hold: .milliseconds(150), cut: size) == 0)
    let long = Steps.audio((0.5, 60), (0, 50), (0.5, 60))
    #expect(onset(long, hold: .milliseconds(150), cut: size) == nil)
    #expect(onset(long, hold: .milliseconds(60), cut: size) == 0)
    let click = Steps.audio((0.5, 2), (0, 90), (0.5, 60))
    #expect(onset(click, hold: .milliseconds(60), cut: size) == 92)
  }

  @Test(arguments: [20, 1_000])
  func `a constant offset does not start a recording, but a sound on top of it does`(size: Int) {
    let offset = Steps.audio((0, 500), offset: 0.2)
    #expect(onset(offset, hold: .zero, cut: size) == nil)
    let sound = Steps.audio((0, 500), (0.1, 100), offset: 0.2)
    #expect(onset(sound, hold: .milliseconds(90), cut: size) == 500)
  }
}
