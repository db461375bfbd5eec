import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct AmplifierTests {
  private let ones = audio([Float](repeating: 1, count: 8), at: 2)

  @Test func `a constant gain multiplies every sample of every channel`() throws {
    let stereo = AudioFormat(sampleRate: 10, channelCount: 2)
    let input = AudioBuffer(format: stereo, samples: [1, -0.5, 0.25, 3], firstFrame: 5)
    let output = try all(Amplifier(GainRamp(constant: 0.5)), input)
    #expect(
      output == [
        AudioBuffer(format: stereo, samples: [0.5, -0.25, 0.125, 1.5], firstFrame: 5)
      ])
  }

  @Test func `a gain ramp begins and ends at the given frame indices`() throws {
    let ramp = GainRamp(from: 0, to: 1, at: 4, length: 4)
    let output = try all(Amplifier(ramp), ones)
    #expect(output.flatMap(\.samples) == [0, 0, 0, 0.25, 0.5, 0.75, 1, 1])
  }

  @Test func `a gain ramp continues during a gap`() throws {
    let ramp = GainRamp(from: 1, to: 0, at: 0, length: 4)
    let output = try all(Amplifier(ramp), audio([1], at: 0), audio([1], at: 3))
    #expect(output.flatMap(\.samples) == [1, 0.25])
  }

  @Test func `a gain ramp of length zero is a step`() {
    let ramp = GainRamp(from: 1, to: 0.5, at: 3, length: 0)
    #expect([2, 3, 4].map { ramp.gain(at: FrameCount($0)) } == [1, 0.5, 0.5])
  }

  @Test func `a falling fade curve mirrors the rising curve`() {
    let up = GainRamp(from: 0.2, to: 0.9, at: 0, length: 10, curve: .equalPower)
    let down = GainRamp(from: 0.9, to: 0.2, at: 0, length: 10, curve: .equalPower)
    for frame in 0...10 {
      #expect(
        abs(up.gain(at: FrameCount(frame)) - down.gain(at: FrameCount(10 - frame))) < 1e-6)
    }
  }

  @Test func `a gain change starts from the current gain`() {
    var amplifier = Amplifier(GainRamp(from: 0, to: 1, at: 0, length: 4))
    amplifier.change(to: 0, at: 2, over: 2)
    #expect([1, 2, 3, 4].map { amplifier.ramp.gain(at: $0) } == [0.5, 0.5, 0.25, 0])
  }

  @Test func `a gain of -20 dB multiplies the samples by 0.1`() async throws {
    let stream = StreamOf(audio([1])).amplified(by: Decibels(-20))
    for await buffer in stream { #expect(abs(buffer.samples[0] - 0.1) < 1e-6) }
  }

  @Test func `a gain control takes effect at the next buffer, with its ramp`() async {
    let control = GainControl()
    let (source, feed) = AsyncStream.makeStream(of: AudioBuffer.self)
    var output = source.amplified(by: control).makeAsyncIterator()
    feed.yield(audio([1, 1]))
    #expect(await output.next()?.samples == [1, 1])
    control.set(0, over: .milliseconds(400))
    #expect(control.gain == 0)
    feed.yield(audio([1, 1], at: 2))
    feed.yield(audio([1, 1, 1], at: 4))
    #expect(await output.next()?.samples == [1, 0.75])
    #expect(await output.next()?.samples == [0.5, 0.25, 0])
  }

  @Test func `amplified(by:) yields each buffer without delay`() {
    let result = audioDiagram("a-b|").run(symbol: drawn) { $0[0].amplified(by: 2) }
    #expect(result.output == "[<0 2>]-[<4 6>]|")
  }

  @Test func `an amplifier holds no frames over hours of audio`() throws {
    #expect(try mostHeld(by: Amplifier(GainRamp(constant: 1))) == 0)
  }
}
