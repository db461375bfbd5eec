import ArgumentParser
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

/// Compares the help of the command and of every subcommand with files, so that a review shows each
/// change.
///
/// `SYRINX_WRITE_GOLDEN=1` writes the files instead.
@Suite struct HelpGoldenTests {
  /// The help texts, wrapped to 80 columns, by the names of the manual's pages.
  static let texts: [String: String] = helpTexts(of: RootCommand.self, page: "syrinx")

  private static let folder = Checkout.file("Tests/Fixtures/Help")

  @Test(arguments: HelpGoldenTests.texts.keys.sorted())
  func `the help of each command equals its golden file`(page: String) throws {
    let text = try #require(Self.texts[page])
    let file = Self.folder.appending(path: "\(page).txt")
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_GOLDEN"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try? String(contentsOf: file, encoding: .utf8)
    let changes = lines(of: text).difference(from: lines(of: expected ?? "")).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    #expect(
      changes == [],
      """
      the help of "\(page.replacing("-", with: " "))" differs from that in Tests/Fixtures/Help. \
      To accept it: SYRINX_WRITE_GOLDEN=1 swift test --traits Development --filter HelpGoldenTests
      """)
  }

  @Test func `each golden file belongs to a command`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(files.filter { Self.texts[String($0.dropLast(".txt".count))] == nil } == [])
  }

  /// Returns the help texts of a command and its subcommands.
  private static func helpTexts(
    of command: any ParsableCommand.Type, page: String
  ) -> [String: String] {
    let message = RootCommand.helpMessage(for: command, includeHidden: false, columns: 80)
    let help = [page: RootCommand.renderedHelp(message) + "\n"]
    return command.configuration.subcommands.reduce(into: help) { texts, subcommand in
      let below = helpTexts(of: subcommand, page: "\(page)-\(subcommand._commandName)")
      texts.merge(below) { $1 }
    }
  }

  private func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
