import Foundation
import SpeechEngine
import Testing

@testable import WhisperEngine

struct WhisperTextTests {
  /// Returns a text of tokens with these bytes, all of one probability.
  private func words(
    _ tokens: [[UInt8]], probability: Float = 0.9, noSpeech: Double = 0
  ) -> [SpeechHypothesis.Word] {
    var text = WhisperText()
    text.tokens = tokens.indices.map(Int32.init)
    text.logProbabilities = tokens.map { _ in logf(probability) } + [0]
    text.noSpeech = noSpeech
    text.isEnded = true
    return text.words { tokens[Int($0)] }
  }

  private func words(_ tokens: String..., probability: Float = 0.9, noSpeech: Double = 0)
    -> [String]
  {
    words(tokens.map { Array($0.utf8) }, probability: probability, noSpeech: noSpeech).map(\.text)
  }

  @Test func `a word begins with a space, and keeps its punctuation`() {
    #expect(
      words(" Esta", " es", " una", " grab", "ación", ".") == ["Esta", "es", "una", "grabación."])
  }

  @Test func `a character that is divided into tokens is joined`() {
    let bytes = Array("晴れ".utf8)
    #expect(
      words([Array(" 東".utf8), Array(bytes[..<2]), Array(bytes[2...])]).map(\.text) == ["東", "晴れ"])
  }

  @Test func `in a script without spaces, each token with a letter is a word, and marks are not`() {
    #expect(words("東京", "は", "晴れ", "でした", "。") == ["東京", "は", "晴れ", "でした。"])
    // The vowel sign of Thai joins the previous consonant.
    #expect(words("ส", "ี", "แดง") == ["สี", "แดง"])
    #expect(words(" 그", "는", " 길") == ["그는", "길"])
  }

  @Test func `the confidence of a word is the geometric mean of its tokens`() {
    var text = WhisperText()
    text.tokens = [0, 1]
    text.logProbabilities = [logf(0.9), logf(0.4), 0]
    text.isEnded = true
    let confidence = text.words { $0 == 0 ? Array(" gra".utf8) : Array("bó".utf8) }[0].confidence
    #expect(abs((confidence ?? 0) - 0.6) < 1e-6)
  }

  @Test func `descriptions of sounds are no words`() {
    #expect(words(" [", "Música", "]").isEmpty)
    #expect(words(" (", "soft", " music", ")", " Hola").map(\.self) == ["Hola"])
    #expect(words(" [BLANK_AUDIO]").isEmpty && words(" ♪", " la", " la", " ♪").isEmpty)
    #expect(words(" ...").isEmpty && words(" (", "door", " closes", ")", " No", ".") == ["No."])
  }

  @Test func `a bracket without its partner, and signs, do not delete words`() {
    #expect(
      words(" What", " the", " f", "***", " is", " that") == ["What", "the", "f***", "is", "that"])
    #expect(words(" (", "and", " I", " said", " so") == ["(and", "I", "said", "so"])
    #expect(words(" 50", " %", " des", " voix") == ["50 %", "des", "voix"])
    #expect(words(" Comment", " ça", " va", " ?") == ["Comment", "ça", "va ?"])
    #expect(words(" Im", " ZDF", " 20", " Uhr") == ["Im", "ZDF", "20", "Uhr"])
  }

  @Test func `sentences that models invent in silence are words only if the model is sure`() {
    #expect(words(" Thank", " you", ".") == ["Thank", "you."])
    #expect(words(" Thank", " you", ".", probability: 0.6).isEmpty)
    #expect(words(" you", noSpeech: 0.4).isEmpty)
    #expect(words("ご視聴", "ありがとうございました", noSpeech: 0.4).isEmpty)
    #expect(words(" Subtítulos", " por", " Amara.org", probability: 0.6).isEmpty)
    #expect(words(" Subtítulos", " por", " Amara.org").count == 3)
  }

  @Test func `a text is silence if the model found no speech and is not sure of the text`() {
    #expect(words(" Hello", " there", probability: 0.4, noSpeech: 0.7).isEmpty)
    #expect(words(" Hello", " there", probability: 0.4, noSpeech: 0.5).count == 2)
    #expect(words(" Hello", " there", probability: 0.9, noSpeech: 0.7).count == 2)
  }

  @Test func `a repetition is a loop only if it is long`() {
    let sentence: [Int32] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    #expect((sentence + sentence).repeatedCount(ofAtLeast: 18) == 0)
    #expect((sentence + sentence + sentence).repeatedCount(ofAtLeast: 24) == 18)
    #expect((sentence + sentence + sentence).repeatedCount(ofAtLeast: 28) == 0)
    #expect([Int32](repeating: 5, count: 23).repeatedCount(ofAtLeast: 24) == 0)
    #expect(([1, 2] + [Int32](repeating: 5, count: 24)).repeatedCount(ofAtLeast: 24) == 23)
    #expect([Int32]().repeatedCount(ofAtLeast: 24) == 0)
  }

  @Test func `a text in a loop loses its repetitions, and is silence if the model doubts speech`() {
    var text = WhisperText()
    text.tokens = [1, 2, 3, 2, 3, 2, 3]
    text.repeatedCount = 4
    text.logProbabilities = text.tokens.map { _ in logf(0.9) }
    #expect(text.isDoubtful && text.words { _ in Array(" a".utf8) }.count == 3)
    text.noSpeech = 0.5
    #expect(text.words { _ in Array(" a".utf8) }.isEmpty)
  }

  @Test func `a text that ended is better than any other, and then the likelier one`() {
    var sure = WhisperText()
    (sure.tokens, sure.logProbabilities, sure.isEnded) = ([1], [0, 0], true)
    var unsure = sure
    (unsure.tokens, unsure.logProbabilities) = ([2], [-1, -1])
    var endless = sure
    (endless.tokens, endless.isEnded) = ([3], false)
    #expect(sure.orBetter(unsure).tokens == [1] && unsure.orBetter(sure).tokens == [1])
    #expect(endless.orBetter(unsure).tokens == [2] && unsure.orBetter(endless).tokens == [2])
  }

  @Test func `the window grows with the utterance up to 30 s`() {
    #expect(WhisperModel.window(for: 16_000) == 512)
    #expect(WhisperModel.window(for: 16_000 * 15) == 814)
    #expect(WhisperModel.window(for: 16_000 * 30) == 1_500)
  }
}
