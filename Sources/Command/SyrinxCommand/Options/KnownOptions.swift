import ArgumentParser
import FilePaths
import SpeechClient
import Wyoming

/// The options of a command, according to the description that swift-argument-parser generates.
struct KnownOptions {
  /// The names of the options, with their dashes, and whether each option takes a value.
  private var options = [
    "--help": false, "-h": false, "--help-hidden": false, "--version": false,
    "--experimental-dump-help": false, "--generate-completion-script": true,
  ]

  /// Reads the options; nil if the description is in an unknown form.
  init?(of command: any ParsableCommand.Type) {
    guard let tool = JSONValue(parsing: Array(command._dumpHelp().utf8)),
      let arguments = tool["command"]?["arguments"]?.array
    else { return nil }
    for argument in arguments {
      for name in argument["names"]?.array ?? [] {
        guard let kind = name["kind"]?.string, let text = name["name"]?.string else { return nil }
        options[(kind == "long" ? "--" : "-") + text] = argument["kind"]?.string == "option"
      }
    }
  }

  /// Returns the first unknown option in the arguments after the command's name, and the most
  /// similar known option; nil if all options are known.
  ///
  /// swift-argument-parser would treat the value of an unknown option as a file and validate the
  /// files first, so an error about the file would hide the error about the option.
  func unknownOption(
    in arguments: some Sequence<String>
  ) -> (name: String, suggestion: String?)? {
    var isAfterOption = false
    for word in arguments {
      if word == "--" { break }
      // After an option that takes a value, any word is the value unless it begins like a long
      // option.
      let isValue = isAfterOption && !word.hasPrefix("--")
      defer { isAfterOption = !isValue && takesValue(word) }
      guard word.hasPrefix("-"), word != "-", !isValue else { continue }
      if let name = unknownName(in: word) { return (name, suggestion(for: name)) }
    }
    return nil
  }

  /// Returns whether the word after this one is the value of an option.
  private func takesValue(_ word: String) -> Bool {
    if word.hasPrefix("--") { return options[word] == true }
    guard word.hasPrefix("-"), let last = word.last else { return false }
    return options["-\(last)"] == true
  }

  /// Returns the unknown option in a word that begins with a dash; nil if it contains none.
  private func unknownName(in word: String) -> String? {
    if word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      return options[name] == nil ? name : nil
    }
    // The word consists of several short options, and the rest of the word may be the value of one
    // of them.
    for letter in word.dropFirst() {
      switch options["-\(letter)"] {
      case .none: return Double(word) == nil ? "-\(letter)" : word
      case .some(true): return nil
      case .some(false): continue
      }
    }
    return nil
  }

  /// Returns the most similar long option.
  ///
  /// It is nil if more than two letters, or more than half of the letters, differ.
  private func suggestion(for name: String) -> String? {
    guard name.hasPrefix("--") else { return nil }
    let near = options.keys.filter { $0.hasPrefix("--") }.map { option in
      (option, distance: name.distance(to: option))
    }
    let nearest = near.min { ($0.distance, $0.0) < ($1.distance, $1.0) }
    guard let nearest, nearest.distance <= 2, nearest.distance * 2 <= name.count - 2 else {
      return nil
    }
    return nearest.0
  }
}

extension String {
  /// Returns the number of letters to insert, remove, or change to turn this word into another.
  func distance(to other: String) -> Int {
    WordErrorRate(reference: map { String($0) }, hypothesis: other.map { String($0) }).errorCount
  }
}
