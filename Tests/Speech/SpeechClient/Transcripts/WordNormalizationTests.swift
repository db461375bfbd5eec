import SpeechClient
import Testing

struct WordNormalizationTests {
  @Test(arguments: [
    ("Go! Twenty-one?", ["go", "21"]),
    ("rock\u{2019}n", ["rock'n"]),
    ("'quoted' rock''n roll'", ["quoted", "rock", "n", "roll"]),
    ("  \n\t", []),
    ("' -- '", []),
    ("\u{C9}tude f\u{FC}r 3.5", ["\u{E9}tude", "f\u{FC}r", "3.5"]),
    ("the U.S.A. at 5 p.m. The end.Then", ["the", "usa", "at", "5", "pm", "the", "end", "then"]),
    ("A & B", ["a", "and", "b"]),
  ])
  func `the normalization spoken ignores case and punctuation`(text: String, words: [String]) {
    #expect(WordNormalization.spoken.words(of: text) == words)
  }

  /// Texts that sound alike.
  @Test(arguments: [
    // Contractions and similar short forms.
    ["isn't", "is not", "isn\u{2019}t"], ["I'm sure we'd've gone", "I am sure we would have gone"],
    ["You won't, can't, shan't", "you will not cannot shall not"], ["it's", "it is"],
    ["let's", "let us"], ["gonna wanna", "going to want to"], ["Mr. Smith", "mister smith"],
    // Spellings.
    ["colours, favourite", "colors favorite"], ["organised", "organized"],
    ["the realisation of travelling", "the realization of traveling"],
    ["a grey theatre's centre", "a gray theatre's center"], ["analysing", "analyzing"],
    ["cancelled cheques", "canceled checks"], ["OK", "okay"],
    // Fillers.
    ["well, uh, I, um, go", "Well I go"], ["twenty, uh, five", "25"],
    // Scripts without spaces.
    ["\u{6211}\u{7528}\u{624B}\u{673A}\u{3002}", "\u{6211} \u{7528} \u{624B}\u{673A}"],
  ])
  func `texts that sound alike have the same words`(texts: [String]) {
    let words = texts.map(WordNormalization.spoken.words)
    #expect(Set(words).count == 1, "\(words)")
    #expect(words.first?.isEmpty == false)
  }

  @Test(arguments: [
    ("John's isn't", ["john's", "is", "not"]),
    ("otherwise precise exercises surprised", ["otherwise", "precise", "exercises", "surprised"]),
    ("raise noise wisely", ["raise", "noise", "wisely"]),
    ("er, hmm", []),
    ("your hour, four tours", ["your", "hour", "4", "tours"]),
    ("analysis metrepole", ["analysis", "metrepole"]),
  ])
  func `a word that only resembles a spelling variant is unchanged`(text: String, words: [String]) {
    #expect(WordNormalization.spoken.words(of: text) == words)
  }

  @Test(arguments: [
    (["Go", "two", "hundred", "metres"], ["go 1", "200 3", "meters 4"]),
    (["I", "can't", "um", "go-forward,"], ["i 1", "can 2", "not 2", "go 4", "forward 4"]),
    (
      ["$2.50", "and", "two dollars", "and", "fifty", "cents"],
      ["2 1", "dollar 1", "50 1", "cent 1", "and 2", "2 3", "dollar 3", "50 5", "cent 6"]
    ),
    (["nineteen", "eighty-four", "was"], ["1984 2", "was 3"]), ([], []), (["um", "..."], []),
  ])
  func `each normalized word has the index of the piece of text in which it ends`(
    pieces: [String], words: [String]
  ) {
    let normalized = WordNormalization.spoken.words(of: pieces)
    #expect(normalized.map { "\($0.word) \($0.end)" } == words)
    #expect(
      normalized.map(\.word) == WordNormalization.spoken.words(of: pieces.joined(separator: " ")))
  }

  @Test
  func `words are unchanged without normalization`() {
    #expect(
      WordNormalization.written.words(of: "Don't,  twenty-one!\n") == ["Don't,", "twenty-one!"])
  }

  @Test
  func `composed and decomposed letters are equal`() {
    #expect(WordErrorRate(reference: "caf\u{E9}", hypothesis: "cafe\u{301}").rate == 0)
  }
}
