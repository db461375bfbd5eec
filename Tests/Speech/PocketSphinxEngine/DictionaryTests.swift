import AudioCore
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite struct DictionaryExcerptTests {
  private func excerpt(of lines: [String], within words: [String]) throws -> [String] {
    var vocabulary = Vocabulary()
    for word in words { vocabulary.insert(hash(word)) }
    let text = lines.map { $0 + "\n" }.joined()
    let file = try ModelBytes(Array(text.utf8))
    let excerpt = file.excerpt(within: vocabulary)
    return String(decoding: excerpt, as: UTF8.self)
      .split(whereSeparator: \.isNewline).map(String.init)
  }

  private func hash(_ word: some StringProtocol) -> WordHash {
    word.utf8.reduce(into: WordHash()) { $0.add($1) }
  }

  @Test
  func `a dictionary excerpt has the known words with all their pronunciations, in file order`()
    throws
  {
    let lines = ["a AH", "a(2) EY", "aback AH B AE K", "go\tG OW", "gob G AA B", "go(2) G OW OW\r"]
    #expect(
      try excerpt(of: lines, within: ["go", "a"])
        == ["a AH", "a(2) EY", "go\tG OW", "go(2) G OW OW"])
  }

  @Test func `only a parenthesized suffix marks another pronunciation of a word`() throws {
    let lines = ["(go) G OW", "(a)b AH", "x(1)(2) EH", "x(1) EH", "x EH", "y) W"]
    #expect(try excerpt(of: lines, within: ["(go)"]) == ["(go) G OW"])
    #expect(try excerpt(of: lines, within: ["(a)b"]) == ["(a)b AH"])
    #expect(try excerpt(of: lines, within: ["x(1)"]) == ["x(1)(2) EH"])
    #expect(try excerpt(of: lines, within: ["x", "y)"]) == ["x(1) EH", "x EH", "y) W"])
  }

  @Test func `the excerpt of the installed dictionary has exactly the words of the language model`()
    throws
  {
    let model = try ModelLocation(chosen: nil).find()
    let known = try ModelBytes(path: model.language).vocabulary()
    let lines = try String(contentsOfFile: model.dictionary, encoding: .utf8)
      .split(separator: "\n")
    let wanted = lines.filter {
      let word = $0.prefix { $0 != " " }
      let isOther = word.hasSuffix(")") && !word.hasPrefix("(")
      return known.contains(hash(isOther ? word.prefix { $0 != "(" } : word))
    }
    let excerpt = try model.validate().knownWords
    #expect(String(decoding: excerpt, as: UTF8.self).split(separator: "\n") == wanted)
    #expect(!wanted.isEmpty && wanted.count < lines.count * 2 / 3)
  }
}

@Suite(.ownThread, .serialized) struct DictionaryUseTests {
  /// A word in Debian's dictionary that its language model lacks.
  private static let rare = "aardvarks"

  @Test(arguments: ["go-forward.wav", "window.wav", "two-utterances.wav"])
  func `dictation gives the same result with the dictionary excerpt as with the whole dictionary`(
    name: String
  )
    throws
  {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let audio = try samples(of: name)
    func final(wholeDictionary: Bool) throws -> SpeechHypothesis {
      let decoder = try pool.acquire(wholeDictionary: wholeDictionary)
      #expect(decoder.knowsWholeDictionary == wholeDictionary)
      var options = SpeechSessionOptions()
      options.alternativeCount = 5
      return try PocketSphinxSession(decoder: decoder, pool: pool, options: options)
        .recognizeInSteps(audio).final
    }
    let excerpt = try final(wholeDictionary: false)
    #expect(!excerpt.words.isEmpty && !excerpt.alternatives.isEmpty)
    #expect(try final(wholeDictionary: true) == excerpt)
  }

  @Test func `grammars and key phrases accept all dictionary words, even after dictation`() throws {
    let engine = SpeechEngine.pocketSphinx()
    _ = try engine.makeSession(SpeechSessionOptions())
    let model = try ModelLocation(chosen: nil).find()
    let lines = String(decoding: try model.validate().knownWords, as: UTF8.self)
      .split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("\(Self.rare) ") })
    _ = try engine.makeSession(
      SpeechSessionOptions(grammar: "#JSGF V1.0; grammar a; public <a> = \(Self.rare);"))
    var options = SpeechSessionOptions()
    options.keyPhrases = [KeyPhrase(Self.rare)]
    _ = try engine.makeSession(SpeechSessionOptions())
    _ = try engine.makeSession(options)
  }

  @Test func `dictation can use an idle decoder that has the whole dictionary`() throws {
    let pool = DecoderPool(location: ModelLocation(chosen: nil))
    let decoder = try pool.acquire(wholeDictionary: true)
    pool.giveBack(decoder)
    #expect(try pool.acquire() === decoder)
  }

  @Test func `an idle decoder without the requested dictionary is freed before another is loaded`()
    throws
  {
    let watched = WatchedDecoder()
    let pool = watched.pool
    func acquireAndRelease(wholeDictionary: Bool) throws {
      let decoder = try pool.acquire(wholeDictionary: wholeDictionary)
      watched.decoder = decoder
      pool.giveBack(decoder)
    }
    try acquireAndRelease(wholeDictionary: false)
    try acquireAndRelease(wholeDictionary: true)
    #expect(watched.wereAliveAtLoading == [false, false])
  }

  @Test func `grammars and key phrases without additional words reuse the decoder of dictation`()
    throws
  {
    let watched = WatchedDecoder()
    let engine = SpeechEngine.pocketSphinx(watched.pool)
    _ = try engine.makeSession(SpeechSessionOptions())
    let grammar = "#JSGF V1.0; grammar a; public <a> = go forward ten meters | %;"
    var options = SpeechSessionOptions(
      grammar: grammar.replacingOccurrences(of: "%", with: "stop"))
    let words = try engine.makeSession(options).recognizeInSteps(samples(of: "go-forward.wav"))
      .final.words
    #expect(words.map(\.text) == ["go", "forward", "ten", "meters"])
    var phrases = SpeechSessionOptions()
    phrases.keyPhrases = [KeyPhrase("go forward")]
    _ = try engine.makeSession(phrases)
    #expect(watched.wereAliveAtLoading.count == 1)
    options.grammar = grammar.replacingOccurrences(of: "%", with: Self.rare)
    _ = try engine.makeSession(options)
    #expect(watched.wereAliveAtLoading.count == 2)
  }
}

/// Records whether a decoder still exists when another decoder is loaded.
///
/// `@unchecked Sendable` is safe because only one thread uses the pool of a test.
private final class WatchedDecoder: @unchecked Sendable {
  weak var decoder: Decoder?
  private(set) var wereAliveAtLoading: [Bool] = []

  /// A pool that records when it loads a decoder.
  var pool: DecoderPool {
    DecoderPool(location: ModelLocation(chosen: nil)) {
      (model, isWhole, settings) throws(SpeechEngineError) in
      self.wereAliveAtLoading.append(self.decoder != nil)
      return try Decoder(model: model, wholeDictionary: isWhole, settings: settings)
    }
  }
}

@Suite struct DictionarySpellingTests {
  @Test func `the number of a pronunciation is not part of the word`() {
    #expect("ten(2)".dictionarySpelling == "ten")
    #expect("a(12)".dictionarySpelling == "a")
    #expect("meters".dictionarySpelling == "meters")
    #expect("go forward ".dictionarySpelling == "go forward")
  }

  @Test(arguments: ["<s>", "</s>", "<sil>", "[NOISE]", "[SPEECH]", "++breath++", "(NULL)", ""])
  func `markers for silence, noise, and empty words are not words`(entry: String) {
    #expect(entry.dictionarySpelling == nil)
  }
}
