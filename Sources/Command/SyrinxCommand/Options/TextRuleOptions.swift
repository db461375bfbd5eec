import ArgumentParser
import AudioCore
import FilePaths
import SpeechClient
import SpeechEngine

/// The options for how a transcript writes numbers and words.
struct TextRuleOptions: ParsableArguments {
  @Option(
    help: """
      Numbers in English text: usual (digits from ten on, and for times, years, money, percentages, and \
      telephone numbers), digits, words, or as-recognized (default: usual, but as-recognized with a \
      grammar or key phrases).
      """, completion: .list(TextRules.Numbers.allCases.map(\.rawValue)), transform: Self.choice)
  var numbers: TextRules.Numbers?

  @Option(
    help: "Spelling of English words: us or uk (default: uk with -l en-GB, otherwise unchanged).",
    completion: .list(TextRules.Spelling.allCases.map(\.rawValue)), transform: Self.choice)
  var spelling: TextRules.Spelling?

  @Option(
    name: .customLong("replace"),
    help: .value(
      "file",
      """
      File with replacements for words and phrases, a rule on each line: from → to, or from => to; lines \
      that begin with # are ignored.
      """))
  var replacementFile: FilePath?

  @Option(
    name: .customLong("mask-profanity"),
    help: .value(
      "file", "File with words to mask, one on each line: only the first letter is shown."))
  var maskFile: FilePath?

  @Flag(
    name: .customLong("spoken-punctuation"),
    help: """
      Write spoken English marks as marks: comma, period, full stop, question mark, exclamation mark, \
      colon, semicolon, new line, and new paragraph.
      """)
  var writesSpokenPunctuation = false

  @Flag(
    name: .customLong("raw-text"), help: "Print the engine's own text, without any of these rules.")
  var isRaw = false

  func validate() throws {
    try require(
      !isRaw
        || numbers == nil && spelling == nil && replacementFile == nil && maskFile == nil
          && !writesSpokenPunctuation,
      "--raw-text excludes the options that change the text.")
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ argument: String
  ) throws -> Choice {
    guard let choice = Choice(rawValue: argument) else {
      throw ValidationError("give \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return choice
  }

  /// The maximum number of bytes in a file of rules; a pipe may never end.
  private static let longestFile = 1_048_576

  /// Returns the rules for the texts that `recognition` requests, and a record of them, on which a
  /// transcript depends; nil without rules.
  ///
  /// This method reads the files of rules; a pipe can be read only once.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read, a line in it is not a rule, or an option
  ///   for English is given with another language.
  func rules(for recognition: SpeechOptions) async throws -> (rules: TextRules, record: String?) {
    guard !isRaw else { return (.none, nil) }
    let isDictation = recognition.grammar == nil && recognition.keyPhrases.isEmpty
    let language = try checkedLanguage(recognition.transcriptLanguage)
    let isBritish = recognition.language.map { ["en-gb", "en_gb"].contains($0.lowercased()) }
    var rules = TextRules(
      language: language, writesSpokenPunctuation: writesSpokenPunctuation,
      numbers: numbers ?? (isDictation ? .usual : .asRecognized),
      spelling: spelling ?? (isBritish == true ? .british : nil))
    let replacements = try await read(replacementFile) { text throws(TextRulesError) in
      try rules.addReplacements(parsing: text)
    }
    let masks = try await read(maskFile) { text throws(TextRulesError) in
      try rules.addMasks(parsing: text)
    }
    let parts = [
      rules.numbers.rawValue, rules.spelling?.rawValue, writesSpokenPunctuation ? "marks" : nil,
      replacements.map { "replace \($0)" }, masks.map { "mask \($0)" },
    ]
    return (rules, parts.compactMap(\.self).joined(separator: ", "))
  }

  /// Returns the language of the text: English, if it is unknown and an option is only for English.
  private func checkedLanguage(_ language: String?) throws -> String {
    let option =
      numbers != nil && numbers != .asRecognized
      ? "--numbers"
      : spelling != nil ? "--spelling" : writesSpokenPunctuation ? "--spoken-punctuation" : nil
    let unknown = [nil, LanguageTag.unknown, LanguageTag.multiple, SpokenLanguage.detected]
    guard let language, !unknown.contains(language) else {
      return option == nil ? LanguageTag.unknown : "en"
    }
    guard let option else { return language }
    guard LanguageTag.understands("en", available: language) else {
      throw CommandFailure("\(option) is for English, but the language is \(language); use -l en")
    }
    return language
  }

  /// Reads a file of rules with a function, and returns the checksum of its text.
  private func read(
    _ file: FilePath?, _ add: (String) throws(TextRulesError) -> Void
  ) async throws -> String? {
    guard let file else { return nil }
    let text = try await file.readText(atMost: Self.longestFile)
    do throws(TextRulesError) {
      try add(text)
    } catch {
      throw CommandFailure("\(file.shownName), \(error)")
    }
    return stableChecksum(text)
  }
}
