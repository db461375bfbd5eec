import ArgumentParser
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

/// Checks the command lines of README.md and of `SyrinxCommand.docc`.
@Suite struct DocumentedCommandsTests {
  @Test func `the command accepts every documented command line`() throws {
    let lines = try pages().flatMap(commands)
    #expect(lines.count > 80)
    let refused = lines.compactMap { line -> String? in
      do {
        _ = try RootCommand.parseAsRoot(Array(line.dropFirst()))
        return nil
      } catch {
        // Requested help is also an error of the parser, but has the exit code of success.
        guard RootCommand.exitCode(for: error) != .success else { return nil }
        return "\(line.joined(separator: " ")): \(RootCommand.message(for: error))"
      }
    }
    #expect(refused == [])
  }

  @Test func `every subcommand is documented`() throws {
    let documented = Set(try pages().flatMap(commands).compactMap { $0.dropFirst().first })
    let subcommands = RootCommand.configuration.subcommands.compactMap {
      $0.configuration.commandName
    }
    #expect(!subcommands.isEmpty && documented.isSuperset(of: subcommands))
  }

  @Test func `comments, quotes, and pipes are read as a shell reads them`() {
    let page = """
      syrinx not in a block
      ```sh
      syrinx play a.wav "b c.wav"    # syrinx play d.wav
      sox e.mp3 -t wav - | syrinx play - > log
      mkdir f && unzip g
      ```
      """
    #expect(
      commands(in: page) == [["syrinx", "play", "a.wav", "b c.wav"], ["syrinx", "play", "-"]])
  }

  private func pages() throws -> [String] {
    let catalog = Checkout.file("Sources/Command/SyrinxCommand/SyrinxCommand.docc")
    let articles = try FileManager.default.contentsOfDirectory(
      at: catalog, includingPropertiesForKeys: nil)
    return try ([Checkout.file("README.md")] + articles).map {
      try String(contentsOf: $0, encoding: .utf8)
    }
  }

  /// Returns the calls of `syrinx` in the shell blocks of a page, each as a list of words.
  private func commands(in page: String) -> [[String]] {
    let blocks = page.split(separator: "```", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sh\n") }.map(\.element)
    return blocks.flatMap { $0.split(separator: "\n").dropFirst() }.flatMap { line in
      words(of: line).split { ["|", "&&"].contains($0) }.map(withoutRedirection)
        .filter { $0.first == "syrinx" }
    }
  }

  private func withoutRedirection(_ words: ArraySlice<String>) -> [String] {
    Array(words.prefix { $0 != ">" })
  }

  /// Returns the words of a line of shell script, without its comment.
  private func words(of line: Substring) -> [String] {
    var (words, word, quote): ([String], String?, Character?) = ([], nil, nil)
    for character in line {
      if character == quote {
        quote = nil
      } else if quote == nil, "'\"".contains(character) {
        (quote, word) = (character, word ?? "")
      } else if quote == nil, character == "#", word == nil {
        break
      } else if quote == nil, character == " " {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
