import SyrinxTestSupport
import Testing

@testable import AudioCore

/// Returns a buffer for a drawing: `_` is a silent frame, and any other character is sound.
private func sounds(_ text: String, at firstFrame: Int = 0) -> AudioBuffer {
  audio(text.map { $0 == "_" ? 0.001 : 0.5 }, at: FrameCount(firstFrame))
}

/// Returns a policy with `hold` and `margin` in frames.
private func policy(hold: Int, margin: Int) -> SilencePolicy {
  SilencePolicy(
    threshold: Decibels(-40), hold: .milliseconds(hold * 100),
    margin: .milliseconds(margin * 100))
}

private func text(_ part: SoundPart) -> String {
  switch part {
  case .began(let frame): "(\(frame.rawValue)"
  case .audio(let buffer): String(repeating: ".", count: buffer.frameCount.rawValue)
  case .ended(let frame): "\(frame.rawValue))"
  }
}

@Suite struct SilenceSplitterTests {
  /// Splits drawn audio, passed in buffers of `cut` frames, and returns the output as text.
  private func split(_ frames: String, hold: Int, margin: Int, cut: Int) throws -> String {
    var splitter = SilenceSplitter(policy(hold: hold, margin: margin))
    var output = ""
    for begin in stride(from: 0, to: frames.count, by: cut) {
      let part = String(frames.dropFirst(begin).prefix(cut))
      output += splitter.process(sounds(part, at: begin)).map(text).joined()
    }
    return output + splitter.flush().map(text).joined()
  }

  @Test(arguments: [1, 2, 3, 5, 100])
  func `sounds are reported with their margins for any buffer lengths`(cut: Int) throws {
    let output = try split("____xx_x______xxx____", hold: 3, margin: 1, cut: cut)
    #expect(output == "(3......9)(13.....18)")
  }

  @Test(arguments: [1, 100])
  func `a pause shorter than the hold time belongs to the sound`(cut: Int) throws {
    #expect(try split("x__x___x", hold: 3, margin: 0, cut: cut) == "(0....4)(7.8)")
  }

  @Test(arguments: [1, 100])
  func `overlapping margins are shortened so that no frame is repeated`(cut: Int) throws {
    #expect(try split("x____x", hold: 2, margin: 3, cut: cut) == "(0......6)")
    #expect(try split("x_____x", hold: 3, margin: 3, cut: cut) == "(0.......7)")
    #expect(try split("x________x", hold: 3, margin: 3, cut: cut) == "(0....4)(6....10)")
  }

  @Test
  func `silence with a constant offset counts as silent, and a sound with an offset is detected`()
    throws
  {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let tone = AudioSignal.sine(440, amplitude: 0.1).during(.seconds(1) ..< .seconds(2))
    let samples = tone.buffer(.seconds(4), format: format).samples.map { $0 + 0.2 }
    let audio = AudioBuffer(format: format, samples: samples)
    let policy = SilencePolicy(hold: .milliseconds(500), margin: .zero)
    let parts = try all(SilenceSplitter(policy), audio)
    guard case .began(let start) = parts.first, case .ended(let end) = parts.last else {
      Issue.record("\(parts.count) parts")
      return
    }
    #expect(abs(start.rawValue - 48_000) < 480 && (0..<2_400).contains(end.rawValue - 96_000))
    #expect(try all(SilenceTrimmer(policy), audio).reduce(0) { $0 + $1.frameCount } == end - start)
  }

  @Test func `splitting audio without sound yields no parts`() throws {
    #expect(try split("_________", hold: 2, margin: 1, cut: 4) == "")
    #expect(try split("", hold: 2, margin: 1, cut: 4) == "")
  }

  @Test func `a gap ends the sound`() throws {
    let parts = try all(
      SilenceSplitter(policy(hold: 5, margin: 1)), sounds("xx__"), sounds("_xx", at: 10))
    #expect(parts.map(text).joined() == "(0...3)(10...13)")
  }

  @Test func `a frame is silent only if all its channels are silent`() throws {
    let stereo = AudioFormat(sampleRate: 10, channelCount: 2)
    let input = AudioBuffer(format: stereo, samples: [0, 0, 0, 1, 0, 0])
    let parts = try all(SilenceSplitter(policy(hold: 1, margin: 0)), input)
    #expect(parts.map(text).joined() == "(1.2)")
  }

  @Test func `a sound is reported when it begins, and its end is reported after the hold time`() {
    // The frames of `a` have the values 0 and 1, so its first frame is silent.
    let result = audioDiagram("ab-[cz]|").run(symbol: text) {
      $0[0].splitAtSilence(policy(hold: 3, margin: 0))
    }
    #expect(result.output == "[(1.][..]-[..6)(50..][52)|]")
  }

  @Test
  func `over hours of sound or silence, a splitter holds less than the hold time plus one buffer`()
    throws
  {
    let splitter = SilenceSplitter(policy(hold: 55, margin: 22))
    for signal in [{ _ in 0 }, { _ in 1 }, { $0 % 7 == 0 ? 1 : 0 }] as [(Int) -> Float] {
      #expect(try mostHeld(by: splitter, signal: signal) < 55 + 10)
    }
  }
}

@Suite struct SilenceTrimmerTests {
  private func trimmed(_ text: String, hold: Int, margin: Int) throws -> [Range<Int>] {
    try all(SilenceTrimmer(policy(hold: hold, margin: margin)), sounds(text))
      .map { $0.firstFrame.rawValue..<$0.endFrame.rawValue }
  }

  private func frames(_ ranges: [Range<Int>]) -> [Int] { ranges.flatMap { $0 } }

  @Test func `silence at both ends is trimmed except for the margins`() throws {
    #expect(frames(try trimmed("____xx__x_____", hold: 10, margin: 2)) == Array(2..<11))
  }

  @Test func `silence at the end is trimmed even if it is shorter than the hold time`() throws {
    #expect(frames(try trimmed("_x_", hold: 10, margin: 0)) == [1])
  }

  @Test func `a pause longer than the hold time becomes a gap except for its margins`() throws {
    #expect(frames(try trimmed("x________x", hold: 4, margin: 1)) == [0, 1, 8, 9])
  }

  @Test func `audio that is only silence is trimmed to nothing`() throws {
    #expect(try trimmed("______", hold: 2, margin: 1) == [])
  }

  @Test func `zero crossings do not split a sound`() throws {
    let sine = AudioSignal.sine(440).buffer(
      4_410, format: AudioFormat(sampleRate: 44_100, channelCount: 1))
    let output = try all(SilenceTrimmer(SilencePolicy(margin: .zero)), sine)
    #expect(output.count <= 2)
    #expect(output.flatMap(\.samples) == Array(sine.samples[1...]))
  }

  @Test func `silence is held back until sound follows or the stream ends`() {
    #expect(SoundDrawing.run("_x__x_|") == "-[<1>]--[<2><3><4>]-|")
  }

  @Test func `over hours of pauses, a trimmer holds less than the hold time plus one buffer`()
    throws
  {
    let trimmer = SilenceTrimmer(policy(hold: 100, margin: 5))
    #expect(try mostHeld(by: trimmer) { $0 % 500 == 0 ? 1 : 0 } < 110)
  }
}

/// Trims the silence of drawn audio: `_` is a silent frame, and `x` is a frame with sound.
///
/// The frames are numbered from 0.
private enum SoundDrawing {
  static func run(_ columns: String) -> String {
    let letters = columns.enumerated().map { index, column in
      column == "|" ? "|" : String(UnicodeScalar(UInt8(97 + index)))
    }
    let isSilent = columns.map { $0 == "_" }
    let diagram = StreamDiagram(inputs: [letters.joined()]) { letter in
      let index = Int((letter.asciiValue ?? 97) - 97)
      return audio([isSilent[index] ? 0 : 1], at: FrameCount(index))
    }
    return diagram.run(symbol: { "<\($0.firstFrame.rawValue)>" }) {
      $0[0].trimmingSilence(margin: .zero)
    }.output
  }
}
