import ArgumentParser
import Transcripts

/// The name of a subcommand as somebody types it.
enum SubcommandName {
  /// The error of arguments that name no subcommand, with the name that was probably meant; nil if
  /// they name one.
  static func error(in arguments: [String]) -> ValidationError? {
    var command: any ParsableCommand.Type = RootCommand.self
    for word in arguments where word != "help" {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      if let next = subcommands.first(where: { $0._commandName == word }) {
        command = next
        continue
      }
      let nearest = subcommands.map { $0._commandName }.min { first, second in
        distance(word, first) < distance(word, second)
      }
      let meant = nearest.flatMap { distance(word, $0) <= 2 ? "; did you mean \"\($0)\"?" : nil }
      return ValidationError(
        "there is no subcommand \"\(word)\"\(meant ?? "; `syrinx help` lists the subcommands.")")
    }
    return nil
  }

  /// The number of letters to insert, remove, or change between two words.
  private static func distance(_ word: String, _ other: String) -> Int {
    WordErrorRate(reference: word.map { String($0) }, hypothesis: other.map { String($0) })
      .errorCount
  }
}
