import ArgumentParser
import FilePaths
import SpeechClient

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

  /// Returns the rules for the texts that `recognition` requests, and the checksum of the files of
  /// rules, which this method reads; a pipe can be read only once.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read, or a line in it is not a rule.
  func rules(for recognition: SpeechOptions) async throws -> (TextRules, checksum: String?) {
    guard !isRaw else { return (.none, nil) }
    let isDictation = recognition.grammar == nil && recognition.keyPhrases.isEmpty
    let isBritish = recognition.language.map { ["en-gb", "en_gb"].contains($0.lowercased()) }
    var rules = TextRules(
      language: recognition.transcriptLanguage ?? "und",
      writesSpokenPunctuation: writesSpokenPunctuation,
      numbers: numbers ?? (isDictation ? .usual : .asRecognized),
      spelling: spelling ?? (isBritish == true ? .british : nil))
    var texts: [String] = []
    for file in [replacementFile, maskFile].compactMap(\.self) {
      let text = try await file.readText(atMost: Self.longestFile)
      texts.append(text)
      do throws(TextRulesError) {
        if file == replacementFile { try rules.addReplacements(parsing: text) }
        if file == maskFile { try rules.addMasks(parsing: text) }
      } catch {
        throw CommandFailure("\(file.shownName), \(error)")
      }
    }
    return (rules, texts.isEmpty ? nil : stableChecksum(texts.joined(separator: "\0")))
  }

  /// Adds the options to the record of the options that a transcript depends on.
  ///
  /// - Parameters:
  ///   - checksum: the checksum of the files of rules, which may be long.
  ///   - record: the record.
  func add(_ checksum: String?, to record: inout JSONRecord) {
    record["numbers"] = numbers?.rawValue
    record["spelling"] = spelling?.rawValue
    record["spokenPunctuation"] = writesSpokenPunctuation ? true : nil
    record["rawText"] = isRaw ? true : nil
    record["textRules"] = checksum
  }
}
