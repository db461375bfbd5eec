import AudioCore
import SyrinxTestSupport
import TestTools
import Testing

@Suite struct SilenceEndTests {
  /// Returns the frame index at which the recording ends; nil if silence does not end it.
  private func end(_ audio: AudioBuffer, cut size: Int, skip: FrameCount = 0) -> FrameCount? {
    var rule = SilenceEnd(below: Decibels(-40), hold: .milliseconds(100))
    rule.skip(skip)
    var position: FrameCount = 0
    for buffer in audio.cut(size) {
      if let last = rule.end(in: buffer) { return position + last }
      position += buffer.frameCount
    }
    return nil
  }

  @Test(arguments: [1, 7, 100, 1_000])
  func `silence ends a recording at the exact frame`(size: Int) {
    #expect(end(Steps.audio((0.5, 50), (0.001, 300)), cut: size) == 150)
    #expect(end(Steps.audio((0.5, 50), (0, 99), (0.5, 1), (0, 99)), cut: size) == nil)
    #expect(end(Steps.audio((0.5, 50), (0, 99), (0.5, 1), (0, 100)), cut: size) == 250)
  }

  @Test(arguments: [1, 7, 100, 1_000])
  func `silence is measured from the beginning, without the pre-roll`(size: Int) {
    #expect(end(Steps.audio((0, 300)), cut: size) == 100)
    #expect(end(Steps.audio((0, 300)), cut: size, skip: 80) == 180)
    #expect(end(Steps.audio((0, 50), (0.5, 10), (0, 300)), cut: size, skip: 80) == 180)
  }

  @Test(arguments: [20, 1_000])
  func `silence with a constant offset ends a recording`(size: Int) throws {
    let audio = Steps.audio((0.1, 50), (0, 300), offset: 0.2)
    #expect((150..<200).contains(try #require(end(audio, cut: size))))
  }

  /// Returns the length of the recording, for buffers that begin at the given frames.
  private func length(preRoll: Int = 0, _ buffers: (AudioBuffer, at: FrameCount)...) -> FrameCount {
    var rule = SilenceEnd(
      below: Decibels(-40), hold: .milliseconds(100), preRoll: .milliseconds(preRoll))
    return buffers.flatMap { audio, frame in
      var audio = audio
      audio.firstFrame = frame
      return rule.process(audio)
    }.reduce(0) { $0 + $1.frameCount }
  }

  @Test func `a pre-roll and lost frames do not count as silence`() {
    let silence = Steps.audio((0, 300))
    #expect(length((silence, 0)) == 100)
    #expect(length(preRoll: 80, (silence, 0)) == 180)
    #expect(length((Steps.audio((0, 60)), 0), (Steps.audio((0, 60)), 1_000)) == 100)
  }

  @Test func `silence is measured as a duration, even if the sample rate changes`() throws {
    let double = AudioFormat(sampleRate: 2_000, channelCount: 1)
    let rest = AudioBuffer(silence: 500, format: double)
    #expect(length((Steps.audio((0, 60)), 0), (rest, 0)) == 140)
  }

  // The frames of `a` have the values 0 and 1, and those of `b` 2 and 3.
  @Test func `once silence has lasted long enough, a stream ends without another request`() {
    let result = audioDiagram("cbaab|").run(symbol: drawn) {
      $0[0].endingAfterSilence(below: Decibels(amplitude: 1.5), hold: .milliseconds(300))
    }
    #expect(result == .init(output: "[<4 5>][<2 3>][<0 1>][<0>|]--", taken: ["cbaa--"]))
  }
}
