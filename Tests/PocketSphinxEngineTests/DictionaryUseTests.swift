import Foundation
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite(.serialized) struct DictionaryUseTests {
  /// A word that Debian's dictionary has and its language model does not know.
  private static let rare = "aardvarks"

  @Test(arguments: ["go-forward.wav", "window.wav", "two-utterances.wav"])
  func `with the words that can be found alone, dictation finds the same`(name: String) throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let audio = try samples(of: name)
    func final(wholeDictionary: Bool) throws -> SpeechHypothesis {
      let decoder = try pool.take(wholeDictionary: wholeDictionary)
      #expect(decoder.knowsWholeDictionary == wholeDictionary)
      var options = SpeechSessionOptions()
      options.alternativeCount = 5
      return try PocketSphinxSession(decoder: decoder, pool: pool, options: options)
        .recognize(audio).final
    }
    let excerpt = try final(wholeDictionary: false)
    #expect(!excerpt.words.isEmpty && !excerpt.alternatives.isEmpty)
    #expect(try final(wholeDictionary: true) == excerpt)
  }

  @Test func `grammars and key phrases know all words, also after dictation`() throws {
    let engine = SpeechEngine.pocketSphinx()
    _ = try engine.makeSession(SpeechSessionOptions())
    let model = try ModelLocation(chosen: nil).find()
    let lines = String(decoding: try model.validate().knownWords, as: UTF8.self)
      .split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("\(Self.rare) ") })
    _ = try engine.makeSession(
      SpeechSessionOptions(grammar: "#JSGF V1.0; grammar a; public <a> = \(Self.rare);"))
    var options = SpeechSessionOptions()
    options.keyPhrases = [SpeechKeyPhrase(Self.rare)]
    _ = try engine.makeSession(SpeechSessionOptions())
    _ = try engine.makeSession(options)
  }

  @Test func `a decoder that knows all words takes dictation, and none is loaded for it`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let decoder = try pool.take(wholeDictionary: true)
    pool.giveBack(decoder)
    #expect(try pool.take() === decoder)
  }

  @Test func `a decoder that does not fit is freed before another is loaded in its place`() throws {
    let watched = WatchedDecoder()
    let pool = watched.pool
    func takeAndGiveBack(wholeDictionary: Bool) throws {
      let decoder = try pool.take(wholeDictionary: wholeDictionary)
      watched.decoder = decoder
      pool.giveBack(decoder)
    }
    try takeAndGiveBack(wholeDictionary: false)
    try takeAndGiveBack(wholeDictionary: true)
    #expect(watched.wereAliveAtLoading == [false, false])
  }

  @Test func `a grammar and key phrases of words that dictation finds take its decoder`() throws {
    let watched = WatchedDecoder()
    let engine = SpeechEngine.pocketSphinx(watched.pool)
    _ = try engine.makeSession(SpeechSessionOptions())
    let grammar = "#JSGF V1.0; grammar a; public <a> = go forward ten meters | %;"
    var options = SpeechSessionOptions(
      grammar: grammar.replacingOccurrences(of: "%", with: "stop"))
    let words = try engine.makeSession(options).recognize(samples(of: "go-forward.wav")).final.words
    #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
    var phrases = SpeechSessionOptions()
    phrases.keyPhrases = [SpeechKeyPhrase("go forward")]
    _ = try engine.makeSession(phrases)
    #expect(watched.wereAliveAtLoading.count == 1)
    options.grammar = grammar.replacingOccurrences(of: "%", with: Self.rare)
    _ = try engine.makeSession(options)
    #expect(watched.wereAliveAtLoading.count == 2)
  }
}

/// Notes whether a decoder is still there when another is loaded.
///
/// Unchecked, because nothing guards it; right, because one thread uses the pool of its test.
private final class WatchedDecoder: @unchecked Sendable {
  weak var decoder: Decoder?
  private(set) var wereAliveAtLoading: [Bool] = []

  /// A pool that tells when it loads a decoder.
  var pool: DecoderPool {
    DecoderPool(location: ModelLocation(chosen: nil)) {
      (model, isWhole, settings) throws(SpeechEngineError) in
      self.wereAliveAtLoading.append(self.decoder != nil)
      return try Decoder(model: model, wholeDictionary: isWhole, settings: settings)
    }
  }
}
