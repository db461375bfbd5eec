import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct FaderTests {
  private func ones(_ range: Range<Int>) -> AudioBuffer {
    audio(range.map { _ in 1 }, at: FrameCount(range.lowerBound))
  }

  private let half = Duration.milliseconds(400)

  @Test func `the first and the last frame of faded audio are silent, and the middle is unchanged`()
    throws
  {
    let output = try all(Fader(fadeIn: half, fadeOut: half), ones(0..<6), ones(6..<10))
    #expect(output.flatMap(\.samples) == [0, 0.25, 0.5, 0.75, 1, 1, 0.75, 0.5, 0.25, 0])
    #expect(output.map(\.firstFrame) == [0, 2, 6])
  }

  @Test func `a fader without fades changes and holds nothing`() throws {
    var fader = Fader()
    #expect(fader.process(counting(3..<6)) == [counting(3..<6)])
    #expect(fader.heldFrames == 0)
  }

  @Test func `audio shorter than the fade-out fades from its first frame on`() throws {
    #expect(
      try all(Fader(fadeOut: .seconds(9)), ones(0..<5)).flatMap(\.samples)
        == [0.8, 0.6, 0.4, 0.2, 0])
  }

  @Test func `a fade-out spans several buffers, and gaps keep their position`() throws {
    let output = try all(Fader(fadeOut: half), ones(0..<3), ones(3..<4), ones(9..<11))
    #expect(output.flatMap(\.samples) == [1, 1, 0.75, 0.5, 0.25, 0])
    #expect(output.map(\.firstFrame) == [0, 2, 3, 9])
  }

  @Test func `a fader uses the requested curve`() throws {
    let output = try all(Fader(fadeIn: half, curve: .smooth), ones(0..<4))
    #expect(output[0].samples[1] == FadeCurve.smooth.gain(at: 0.25))
  }

  @Test func `a fader holds the frames of its fade-out until the end is known`() {
    let result = audioDiagram("abcd-|").run(symbol: drawn) { $0[0].faded(out: half) }
    #expect(result.output == "--[<0 1>][<2 3>]-[<3 2><1 0>|]")
  }

  @Test func `the faded end of the audio is yielded before an error of the source`() {
    let result = audioDiagram("a^").run(symbol: drawn) { $0[0].faded(out: half) }
    #expect(result.output == "-[<0 0>^]")
  }

  @Test func `a fader holds at most the frames of its fade-out over hours of audio`() throws {
    #expect(try mostHeld(by: Fader(fadeIn: .seconds(60), fadeOut: .seconds(30))) == 300)
  }
}
