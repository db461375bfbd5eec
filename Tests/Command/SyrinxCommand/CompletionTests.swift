import Foundation
import TestTools
import Testing

/// Tests completion in real shells, with the scripts that the command generates.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
  private let folder: TestFolder
  /// An environment without sound cards and without the engines that the user has installed.
  private let bare: [String: String]

  init() throws {
    folder = try TestFolder()
    try folder.speech("speech one.wav")
    // fish creates a subfolder in each of these folders, so all of them are the test's folder.
    let folders = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"]
    let path = folder.url.path
    bare = folders.reduce(into: BuiltCommand.withoutSoundCard) { $0[$1] = path }
  }

  /// An interactive shell, and the way to load the completion script in it.
  enum Shell: String, CaseIterable {
    case bash = "bash --norc --noprofile -i"
    case zsh = "zsh -f -i"
    case fish = "fish --no-config -i"

    /// Loads the script and makes `syrinx` print its arguments instead of running.
    fileprivate var setup: String {
      switch self {
      case .bash:
        """
        source <(syrinx --generate-completion-script bash); \
        syrinx() { printf '<%s>' "$@"; }
        """
      case .zsh:
        """
        syrinx --generate-completion-script zsh >_syrinx; fpath=($PWD $fpath); \
        autoload -Uz compinit; compinit -u -D; syrinx() { printf '<%s>' "$@"; }
        """
      case .fish:
        """
        syrinx --generate-completion-script fish | source; \
        function syrinx; printf '<%s>' $argv; end
        """
      }
    }
  }

  /// Types lines in an interactive shell and returns what the terminal shows.
  private func typing(_ keys: String, in shell: Shell) async throws -> String {
    try await BuiltCommand.shell(
      #"printf '%s\n' "$SETUP" "$KEYS" exit | script -qec "$INTERACTIVE" /dev/null"#,
      in: folder,
      environment: bare.merging([
        "INTERACTIVE": shell.rawValue, "KEYS": keys, "SETUP": shell.setup,
      ]) { $1 }
    ).output
  }

  /// Returns the candidates that fish offers for the last word of a line, without their
  /// descriptions.
  private func fishCandidates(_ line: String) async throws -> [String] {
    try await BuiltCommand.shell(
      """
      syrinx --generate-completion-script fish >syrinx.fish
      fish --no-config -c 'source syrinx.fish; complete -C "$LINE"' | cut -f 1
      """, in: folder, environment: bare.merging(["LINE": line]) { $1 }
    ).outputLines
  }

  /// Returns the candidates that bash offers for the last word of a line.
  private func candidates(_ words: String...) async throws -> [String] {
    let line = words.joined(separator: " ")
    return try await BuiltCommand.shell(
      """
      source <(syrinx --generate-completion-script bash)
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
      COMP_LINE='\(line)' COMP_POINT=\(line.utf8.count)
      _syrinx syrinx "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """, in: folder, environment: bare
    ).outputLines
  }

  @Test(arguments: Shell.allCases, ["play", "transcribe", "info", "measure", "plot", "wer"])
  func `Tab completes a file name that contains a space`(shell: Shell, command: String)
    async throws
  {
    let screen = try await typing("syrinx \(command) spee\t", in: shell)
    #expect(screen.contains("<\(command)><speech one.wav>"), "\(screen)")
  }

  @Test(arguments: Shell.allCases)
  func `Tab completes a subcommand and the value of an option`(shell: Shell) async throws {
    let screen = try await typing("syrinx tran\t--engine pock\t", in: shell)
    #expect(screen.contains("<transcribe><--engine><pocketsphinx>"), "\(screen)")
  }

  @Test(arguments: [
    ("syrinx play spee", "speech one.wav"), ("syrinx tran", "transcribe"),
    ("syrinx play --device ", "virtual"), ("syrinx transcribe --engine pock", "pocketsphinx"),
    ("syrinx transcribe --format s", "srt"), ("syrinx transcribe --locale en", "en-US"),
  ])
  func `fish offers files, subcommands, and the values of options`(line: String, candidate: String)
    async throws
  {
    #expect(try await fishCandidates(line) == [candidate])
  }

  @Test func `a device option is completed with the devices of its direction`() async throws {
    #expect(try await candidates("syrinx", "play", "--device", "") == ["virtual"])
    #expect(try await candidates("syrinx", "record", "--device", "") == ["virtual:FILE"])
  }

  @Test func `an option with fixed values is completed with these values`() async throws {
    let engines = try await candidates("syrinx", "transcribe", "--engine", "")
    #expect(engines == ["moonshine", "pocketsphinx", "vosk", "whisper", "wyoming"])
    #expect(try await candidates("syrinx", "transcribe", "--format", "s") == ["srt"])
  }

  @Test func `--locale is completed with the languages of the models, and --model with paths`()
    async throws
  {
    #expect(try await candidates("syrinx", "transcribe", "--locale", "en-") == ["en-US"])
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "speech model"), withIntermediateDirectories: false)
    let models = try await candidates("syrinx", "listen", "--model", "spee")
    #expect(Set(models) == ["speech model", "speech one.wav"])
  }

  @Test func `the first word is completed with the subcommands`() async throws {
    #expect(try await candidates("syrinx", "tran") == ["transcribe"])
  }
}
