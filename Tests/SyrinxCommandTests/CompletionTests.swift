import TestTools
import Testing

/// What the shells complete, with the scripts that the command generates.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("speech one.wav")
  }

  /// Types lines in an interactive bash and returns what the terminal shows.
  ///
  /// `syrinx` prints its arguments instead of running.
  private func typing(_ keys: String) async throws -> String {
    let setup =
      "source <(syrinx --generate-completion-script bash); syrinx() { printf '<%s>' \"$@\"; }"
    return try await BuiltCommand.shell(
      #"printf '%s\n' "$SETUP" "$KEYS" exit | script -qec 'bash --norc --noprofile -i' /dev/null"#,
      in: folder, environment: ["SETUP": setup, "KEYS": keys]
    ).output
  }

  /// The candidates that bash offers for the last word of a line.
  private func candidates(_ words: String...) async throws -> [String] {
    let line = words.joined(separator: " ")
    return try await BuiltCommand.shell(
      """
      source <(syrinx --generate-completion-script bash)
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
      COMP_LINE='\(line)' COMP_POINT=\(line.utf8.count)
      _syrinx syrinx "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """, in: folder, environment: BuiltCommand.withoutSoundCard
    ).outputLines
  }

  @Test(arguments: ["play", "transcribe", "info", "measure", "plot", "wer"])
  func `Tab completes the name of a file, with its space`(command: String) async throws {
    let screen = try await typing("syrinx \(command) spee\t")
    #expect(screen.contains("<\(command)><speech one.wav>"), "\(screen)")
  }

  @Test func `an option for a device offers the devices of its direction`() async throws {
    #expect(try await candidates("syrinx", "play", "--device", "") == ["virtual"])
    #expect(try await candidates("syrinx", "record", "--device", "") == ["virtual:FILE"])
  }

  @Test func `an option with few values offers them`() async throws {
    let engines = try await candidates("syrinx", "transcribe", "--engine", "")
    #expect(engines == ["moonshine", "pocketsphinx", "vosk", "wyoming"])
    #expect(try await candidates("syrinx", "transcribe", "--format", "s") == ["srt"])
  }

  @Test func `a word at the start offers the subcommands`() async throws {
    #expect(try await candidates("syrinx", "tran") == ["transcribe"])
  }
}
