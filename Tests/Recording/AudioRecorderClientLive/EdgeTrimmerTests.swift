import AudioCore
import AudioRecorderClient
import TestTools
import Testing

@testable import AudioRecorderClientLive

@Suite struct EdgeTrimmerTests {
  private func trimmed(_ audio: AudioBuffer, margin: Int, cut size: Int) -> [Float] {
    let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(margin))
    var trimmer = EdgeTrimmer(rule, rate: 1_000, limit: .milliseconds(500))
    var kept: [AudioBuffer] = []
    for buffer in audio.cut(size) {
      kept += trimmer.process(buffer)
      #expect(trimmer.heldFrames.rawValue <= 500 + size)
    }
    return (kept + trimmer.flush()).flatMap(\.samples)
  }

  private let audio = Steps.audio((0, 100), (0.5, 50), (0, 200), (0.5, 50), (0, 300))

  @Test(arguments: [1, 7, 100, 1_000], [0, 20, 80])
  func `silence is trimmed at both edges except for the margin, and kept in between`(
    size: Int, margin: Int
  ) {
    let expected = Array(audio.samples[(100 - margin)..<(400 + margin)])
    #expect(trimmed(audio, margin: margin, cut: size) == expected)
  }

  @Test(arguments: [1, 100])
  func `if the margins are longer than the silence, nothing is trimmed`(size: Int) {
    #expect(trimmed(audio, margin: 400, cut: size) == audio.samples)
  }

  @Test(arguments: [1, 100])
  func `silence alone is trimmed to nothing`(size: Int) {
    #expect(trimmed(Steps.audio((0.001, 5_000)), margin: 20, cut: size).isEmpty)
  }

  @Test(arguments: [1, 100])
  func `silence beyond the limit is recorded, so that memory is bounded`(size: Int) {
    let audio = Steps.audio((0.5, 50), (0, 2_000))
    #expect(trimmed(audio, margin: 20, cut: size).count == 1_550)
    let again = Steps.audio((0.5, 50), (0, 2_000), (0.5, 10), (0, 300))
    #expect(trimmed(again, margin: 20, cut: size).count == 2_080)
  }

  @Test(arguments: [20, 1_000])
  func `silence with a constant offset is trimmed`(size: Int) {
    let audio = Steps.audio((0, 100), (0.1, 50), (0, 300), offset: 0.2)
    let kept = trimmed(audio, margin: 0, cut: size)
    #expect((50..<60).contains(kept.count) && Array(audio.samples[100..<150]) == Array(kept[..<50]))
    #expect(trimmed(Steps.audio((0, 500), offset: -0.2), margin: 20, cut: size).isEmpty)
  }
}
