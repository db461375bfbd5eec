import AudioCore
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite(.ownThread, .serialized) struct KeyPhraseTests {
  private static let engine = SpeechEngine.pocketSphinx()

  private func session(_ phrases: KeyPhrase...) throws -> any SpeechEngineSession {
    var options = SpeechSessionOptions()
    options.keyPhrases = phrases
    return try Self.engine.makeSession(options)
  }

  private func dictated() throws -> [SpeechHypothesis.Word] {
    try Self.engine.makeSession(SpeechSessionOptions()).recognizeInSteps(
      samples(of: "go-forward.wav")
    )
    .final
    .words
  }

  @Test
  func `spoken phrases are found at their positions, and unspoken phrases are not found`()
    throws
  {
    let session = try session(
      KeyPhrase("go forward"), KeyPhrase("meters"), KeyPhrase("stop"), KeyPhrase("raspberry"))
    for _ in 0..<2 {
      let (partials, final) = try session.recognizeInSteps(samples(of: "go-forward.wav"))
      #expect(final.words.map(\.text) == ["go forward", "meters"])
      #expect(final.words.allSatisfy { $0.confidence == nil })
      #expect(partials.contains(["go forward"]))
      let words = try dictated()
      for (phrase, (first, last)) in zip(final.words, [(words[0], words[1]), (words[3], words[3])])
      {
        #expect(abs(phrase.frames.lowerBound.rawValue - first.frames.lowerBound.rawValue) <= 1600)
        #expect(abs(phrase.frames.upperBound.rawValue - last.frames.upperBound.rawValue) <= 2400)
      }
    }
  }

  @Test func `a repeated phrase is found again, with its time in the utterance`()
    throws
  {
    let once = try samples(of: "go-forward.wav")
    let found = try session(KeyPhrase("forward")).recognizeInSteps(once + once + once).final.words
    #expect(found.map(\.text) == ["forward", "forward", "forward"])
    for (one, next) in zip(found, found.dropFirst()) {
      let distance = next.frames.lowerBound - one.frames.lowerBound
      #expect(abs(distance.rawValue - once.count) <= 800)
    }
  }

  @Test func `the threshold determines whether a phrase is found`() throws {
    let strict = try session(KeyPhrase("go forward ten meters", threshold: 1))
    let loose = try session(KeyPhrase("yes", threshold: 1e-60))
    #expect(try strict.recognizeInSteps(samples(of: "window.wav")).final.words.isEmpty)
    #expect(try !loose.recognizeInSteps(samples(of: "window.wav")).final.words.isEmpty)
  }

  @Test(arguments: [
    "go blorfle", "Go forward", "go/forward", "go <sil>", "[NOISE] forward", "forward(2) go",
  ])
  func `an unknown word in a key phrase is an error`(phrase: String) throws {
    let unknown = phrase.split(separator: " ").first { $0 != "go" && $0 != "forward" }
    #expect(throws: SpeechEngineError.wordUnknown(String(try #require(unknown)), phrase: phrase)) {
      _ = try session(KeyPhrase("ten"), KeyPhrase(phrase))
    }
    // The decoder can still recognize dictation.
    #expect(try dictated().map(\.text) == ["go", "forward", "ten", "meters"])
  }

  @Test func `requesting both a grammar and key phrases is an error`() {
    var options = SpeechSessionOptions(grammar: "#JSGF V1.0; grammar a; public <a> = go;")
    options.keyPhrases = [KeyPhrase("go")]
    #expect(
      throws: SpeechEngineError.unsupported(
        "a grammar together with key phrases", engine: "pocketsphinx")
    ) {
      _ = try Self.engine.makeSession(options)
    }
  }

  @Test func `alternatives to key phrases are an error`() {
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase("go")]
    options.alternativeCount = 2
    #expect(
      throws: SpeechEngineError.unsupported(
        "alternatives for key phrases", engine: "pocketsphinx")
    ) {
      _ = try Self.engine.makeSession(options)
    }
  }

  @Test func `a longer key phrase has a lower default threshold`() {
    #expect(abs(Decoder.usualThreshold(phoneCount: 2) / 1e-5 - 1) < 1e-6)
    #expect(abs(Decoder.usualThreshold(phoneCount: 12) / 1e-12 - 1) < 1e-6)
    #expect(abs(Decoder.usualThreshold(phoneCount: 99) / 1e-30 - 1) < 1e-6)
  }

  @Test func `a search for key phrases leaves no file behind`() throws {
    _ = try session(KeyPhrase("go forward"))
    let left = try FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.temporaryDirectory.path)
    #expect(!left.contains { $0.hasPrefix("syrinx-phrases-") })
  }
}

@Suite struct PhraseSpottingTests {
  private typealias Word = SpeechHypothesis.Word

  @Test func `after a phrase is found, the search restarts with the audio after the phrase`() {
    var spotting = PhraseSpotting()
    spotting.add((0..<1000).map { Int16($0) })
    #expect(spotting.process([], settling: 0) == nil)
    #expect(
      spotting.process([Word("go", frames: 100..<600)], settling: 0)
        == (600..<1000).map { Int16($0) })
    spotting.add((600..<1000).map { Int16($0) })
    spotting.add((1000..<1200).map { Int16($0) })
    #expect(
      spotting.process([Word("on", frames: 50..<500)], settling: 0)
        == (1100..<1200).map { Int16($0) })
    #expect(spotting.phrases == [Word("go", frames: 100..<600), Word("on", frames: 650..<1100)])
  }

  @Test func `if phrases overlap, only the first is found`() {
    var spotting = PhraseSpotting()
    spotting.add(Array(repeating: 0, count: 1000))
    _ = spotting.process(
      [Word("forward", frames: 300..<700), Word("go forward", frames: 100..<700)], settling: 0)
    #expect(spotting.phrases.map(\.text) == ["go forward"])
  }

  @Test func `a phrase does not extend beyond the audio`() {
    var spotting = PhraseSpotting()
    spotting.add(Array(repeating: 0, count: 500))
    #expect(spotting.process([Word("go", frames: 400..<640)], settling: 0) == [])
    #expect(spotting.phrases.map(\.frames) == [400..<500])
  }

  @Test func `a phrase is not reported until enough audio follows it`() {
    var spotting = PhraseSpotting()
    let phrase = Word("go", frames: 100..<600)
    spotting.add(Array(repeating: 0, count: 5300))
    #expect(spotting.process([phrase], settling: PhraseSpotting.settling) == nil)
    spotting.add(Array(repeating: 0, count: 100))
    #expect(spotting.process([phrase], settling: PhraseSpotting.settling)?.count == 4800)
  }
}
