import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine

@Suite struct TokenizerTests {
  private func bytes(_ texts: [String]) -> [UInt8] {
    texts.flatMap { text -> [UInt8] in
      let utf8 = Array(text.utf8)
      let length =
        utf8.count < 128
        ? [UInt8(utf8.count)] : [UInt8(128 + utf8.count % 128), UInt8(utf8.count / 128)]
      return length + utf8
    }
  }

  private static let first = ["<unk>", "<s>", "</s>"]

  @Test func `ordinary tokens have their text with spaces, and special tokens have no text`()
    throws
  {
    let long = String(repeating: "x", count: 300)
    let tokenizer = try Tokenizer(bytes(Self.first + ["\u{2581}Ten", "", "n't", long]))
    #expect(tokenizer.texts.map(\.count) == [0, 0, 0, 4, 0, 3, 300])
    #expect(tokenizer.text(of: [3, 5, 4]) == " Tenn't")
  }

  @Test func `a truncated file or a file in another format is reported as damage`() throws {
    let whole = bytes(Self.first + ["\u{2581}Ten", "four"])
    for count in 0..<whole.count {
      // A file that is cut after a token is valid only if it has all special tokens.
      let tokenizer = try? Tokenizer(Array(whole.prefix(count)))
      #expect((tokenizer?.texts.count ?? 3) >= 3)
    }
    #expect(throws: ModelDamage("it ends within token 4")) {
      _ = try Tokenizer(Array(whole.dropLast()))
    }
    #expect(throws: ModelDamage.self) { _ = try Tokenizer([]) }
    #expect(throws: ModelDamage.self) { _ = try Tokenizer(bytes(["a", "b", "c", "d"])) }
  }

  @Test(arguments: [7 as UInt64])
  func `reading random bytes does not crash`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0..<400, using: &numbers)).map { _ in
        UInt8.random(in: 0...255, using: &numbers)
      }
      _ = try? Tokenizer(self.bytes(Self.first) + bytes)
    }
  }

  @Test
  func `tokens(readBy:) returns each token that the reader accepts, with the reader after it`() {
    let texts = ["", "", "", " te", " ten", " Ten", "n", " tenth", "tent", ",", " x"]
    let tokenizer = Tokenizer(texts: texts.map { Array($0.utf8) })
    let found = tokenizer.tokens(readBy: Array(" tent".utf8)[...]) { rest, byte in
      rest.first == byte ? rest.dropFirst() : nil
    }
    #expect(Set(found.map(\.token)) == [3, 4, 5])
    #expect(found.first { $0.token == 3 }?.reader.count == 2)
  }
}
