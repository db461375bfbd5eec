import AudioCore
import SyrinxTestSupport
import TestTools
import Testing

@Suite struct StartGateTests {
  private let audio = Steps.audio((0.001, 500), (0.5, 100))

  @Test(arguments: [(0, 1), (0, 50), (30, 7), (30, 50), (30, 600), (500, 50), (800, 50)])
  func `a recording begins with the pre-roll before the sound`(preRoll: Int, size: Int) throws {
    var gate = StartGate(
      above: Decibels(-40), hold: .milliseconds(20), preRoll: .milliseconds(preRoll))
    var rest = audio.cut(size)[...]
    var beginning: StartGate.Beginning?
    while beginning == nil, let buffer = rest.popFirst() {
      beginning = gate.opening(in: buffer)
      #expect(gate.heldFrames.rawValue <= preRoll + 20 + size)
    }
    let begun = try #require(beginning)
    let got = min(preRoll, 500)
    #expect(begun.preRoll == FrameCount(got))
    let samples = begun.buffers.flatMap(\.samples) + rest.flatMap(\.samples)
    #expect(samples == Array(audio.samples[(500 - got)...]))
  }

  @Test func `a command begins a recording with the pre-roll before the command`() {
    var gate = StartGate(preRoll: .milliseconds(30))
    for buffer in audio.cut(50) { #expect(gate.opening(in: buffer) == nil) }
    let beginning = gate.begin()
    #expect(beginning.preRoll == 30)
    #expect(beginning.buffers.flatMap(\.samples) == Array(audio.samples.suffix(30)))
  }

  private func onset(_ audio: AudioBuffer, hold: Duration, cut size: Int) -> FrameCount? {
    var gate = StartGate(above: Decibels(-40), hold: hold, preRoll: .zero)
    var position: FrameCount = 0
    for buffer in audio.cut(size) {
      position += buffer.frameCount
      guard let beginning = gate.opening(in: buffer) else { continue }
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

  // The smallest size is 2: a single first sample has no level, because it may be an offset.
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

  /// Returns the audio that the gate passes, for buffers that begin at the given frames.
  private func passed(
    preRoll: Int = 0, _ buffers: (audio: AudioBuffer, at: FrameCount)...
  ) -> [AudioBuffer] {
    var gate = StartGate(
      above: Decibels(-40), hold: .milliseconds(100), preRoll: .milliseconds(preRoll))
    return buffers.flatMap { audio, frame in
      var audio = audio
      audio.firstFrame = frame
      return gate.process(audio)
    }
  }

  // A sound continues if its next loud frame is at most 50 ms after the previous loud frame.
  @Test(arguments: [1, 49, 50, 500], [0, 1, 20])
  func `a gap counts toward the length of a pause`(pause: Int, quiet: Int) {
    let missing = FrameCount(pause - 2 * quiet)
    guard missing > 0 else { return }
    let (before, after) = (Steps.audio((0.5, 60), (0, quiet)), Steps.audio((0, quiet), (0.5, 60)))
    let next = before.frameCount + missing
    let passed = passed((before, 0), (after, next))
    #expect(passed.map(\.firstFrame) == (pause < 50 ? [0, next] : []))
  }

  @Test func `an empty buffer changes nothing`() {
    let half = Steps.audio((0.5, 60))
    let empty = AudioBuffer(format: Steps.format, samples: [])
    #expect(passed((half, 0), (empty, 0), (half, 60)).map(\.firstFrame) == [0, 60])
  }

  // Of the pre-roll of 80 ms, 20 ms follow the gap, and the gap counts toward the other 60 ms.
  @Test(arguments: [1, 30, 59, 60, 1_000_000] as [FrameCount])
  func `a gap counts toward the length of the pre-roll`(missing: FrameCount) {
    let next = 50 + missing
    let passed = passed(
      preRoll: 80, (Steps.audio((0, 50)), 0), (Steps.audio((0, 20), (0.5, 100)), next))
    let rest = max(0, 60 - missing)
    #expect(passed.map(\.firstFrame) == (rest > 0 ? [max(0, 50 - rest), next] : [next]))
    #expect(passed.map(\.frameCount) == (rest > 0 ? [min(50, rest), 120] : [120]))
  }

  @Test func `after the frame index restarts, earlier audio is neither pre-roll nor sound`() {
    let sound = Steps.audio((0, 40), (0.5, 60))
    #expect(passed(preRoll: 80, (sound, 0), (sound, 0)).isEmpty)
    let longer = Steps.audio((0, 40), (0.5, 100))
    #expect(passed(preRoll: 80, (sound, 0), (longer, 0)) == [longer])
  }

  @Test func `over hours of audio, a gate holds at most the pre-roll, the hold time, and a pause`()
    throws
  {
    let gate = StartGate(above: Decibels(-40), hold: .seconds(9), preRoll: .seconds(5))
    #expect(try mostHeld(by: gate) { $0 % 9 == 0 ? 0.001 : 0.5 } <= 150)
    #expect(try mostHeld(by: gate) { _ in 0.001 } <= 60)
  }

  // The frames of `a` have the values 0 and 1, and those of `b` 2 and 3.
  @Test func `a stream begins with the pre-roll before its first sound`() {
    let result = audioDiagram("abc|").run(symbol: drawn) {
      $0[0].startingAtSound(
        above: Decibels(amplitude: 1.5), hold: .zero, preRoll: .milliseconds(100))
    }
    #expect(result.output == "-[<1><2 3>][<4 5>]|")
  }
}
