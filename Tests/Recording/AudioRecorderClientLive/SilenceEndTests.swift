import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct SilenceEndTests {
  private let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))

  /// Returns the frame before which the recording ends.
  private func end(_ audio: AudioBuffer, cut size: Int, skip: FrameCount = 0) -> FrameCount? {
    var rule = SilenceEnd(rule, rate: 1_000)
    rule.skip(skip)
    var position: FrameCount = 0
    for buffer in audio.cut(size) {
      if let last = rule.process(buffer) { return position + last }
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
}
