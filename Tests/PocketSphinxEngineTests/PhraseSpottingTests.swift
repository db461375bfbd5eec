import AudioCore
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct PhraseSpottingTests {
  private typealias Word = SpeechHypothesis.Word

  @Test func `audio after a phrase is searched again, from there on`() {
    var spotting = PhraseSpotting()
    spotting.heard((0..<1000).map { Int16($0) })
    #expect(spotting.take([], settling: 0) == nil)
    #expect(
      spotting.take([Word("go", frames: 100..<600)], settling: 0) == (600..<1000).map { Int16($0) })
    spotting.heard((600..<1000).map { Int16($0) })
    spotting.heard((1000..<1200).map { Int16($0) })
    #expect(
      spotting.take([Word("on", frames: 50..<500)], settling: 0) == (1100..<1200).map { Int16($0) })
    #expect(spotting.phrases == [Word("go", frames: 100..<600), Word("on", frames: 650..<1100)])
  }

  @Test func `of phrases that overlap the one that began first counts`() {
    var spotting = PhraseSpotting()
    spotting.heard(Array(repeating: 0, count: 1000))
    _ = spotting.take(
      [Word("forward", frames: 300..<700), Word("go forward", frames: 100..<700)], settling: 0)
    #expect(spotting.phrases.map(\.text) == ["go forward"])
  }

  @Test func `a phrase does not extend beyond the audio`() {
    var spotting = PhraseSpotting()
    spotting.heard(Array(repeating: 0, count: 500))
    #expect(spotting.take([Word("go", frames: 400..<640)], settling: 0) == [])
    #expect(spotting.phrases.map(\.frames) == [400..<500])
  }

  @Test func `a phrase counts once enough audio follows it`() {
    var spotting = PhraseSpotting()
    let phrase = Word("go", frames: 100..<600)
    spotting.heard(Array(repeating: 0, count: 5300))
    #expect(spotting.take([phrase], settling: PhraseSpotting.settling) == nil)
    spotting.heard(Array(repeating: 0, count: 100))
    #expect(spotting.take([phrase], settling: PhraseSpotting.settling)?.count == 4800)
  }
}
