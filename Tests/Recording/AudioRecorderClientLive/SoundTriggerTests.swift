import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct SoundTriggerTests {
  private func onset(_ audio: AudioBuffer, hold: Duration, cut size: Int) -> FrameCount? {
    var trigger = SoundTrigger(
      LevelRule(threshold: Decibels(-40), hold: hold), rate: audio.format.sampleRate)
    for buffer in audio.cut(size) {
      if let onset = trigger.process(buffer) { return onset }
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

  // The first sample alone has no level: it may be a constant offset.
  @Test(arguments: [2, 7, 50, 1_000])
  func `a pause of up to 50 ms belongs to the sound, a longer one ends it`(size: Int) {
    let short = Steps.audio((0.5, 60), (0, 49), (0.5, 60))
    #expect(onset(short, hold: .milliseconds(150), cut: size) == 0)
    let long = Steps.audio((0.5, 60), (0, 50), (0.5, 60))
    #expect(onset(long, hold: .milliseconds(150), cut: size) == nil)
    #expect(onset(long, hold: .milliseconds(60), cut: size) == 0)
    let click = Steps.audio((0.5, 2), (0, 90), (0.5, 60))
    #expect(onset(click, hold: .milliseconds(60), cut: size) == 92)
  }

  @Test(arguments: [20, 1_000])
  func `a constant offset does not start a recording, and a sound on it does`(size: Int) {
    let offset = Steps.audio((0, 500), offset: 0.2)
    #expect(onset(offset, hold: .zero, cut: size) == nil)
    let sound = Steps.audio((0, 500), (0.1, 100), offset: 0.2)
    #expect(onset(sound, hold: .milliseconds(90), cut: size) == 500)
  }
}
