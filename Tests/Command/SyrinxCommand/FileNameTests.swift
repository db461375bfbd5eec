import AudioCore
import FilePaths
import Foundation
import TestTools
import Testing

/// Runs the built command on file names that are not UTF-8 or contain control characters.
@Suite(.timeLimit(.minutes(5)))
struct FileNameTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.noise(
      "input.wav", .seconds(1), format: AudioFormat(sampleRate: 16_000, channelCount: 1))
  }

  private func shell(_ script: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(script, in: folder)
  }

  /// The names in the test's folder, except the files that the test itself writes.
  private var names: [String] {
    FilePath(folder.url).names?.map(\.description).filter { name in
      name != "input.wav" && !name.hasPrefix("output-")
    }.sorted() ?? []
  }

  @Test
  func `file names that differ only in a byte that is not UTF-8 yield separate recordings`()
    async throws
  {
    let run = try await shell(
      #"""
      for name in $'caf\xe9.wav' $'caf\xe8.wav' '~'; do
        syrinx record "$name" -d virtual:input.wav --seconds 0.1 --format wav || exit
      done
      """#)
    #expect(run.status == 0, "\(run.error)")
    #expect(names == [#"caf\xE8.wav"#, #"caf\xE9.wav"#, "~"])
  }

  @Test
  func `the files of a split recording keep the bytes of the name`() async throws {
    let run = try await shell(
      #"""
      syrinx record $'\xe9-%d.wav' -d virtual:input.wav --roll-seconds 0.4 --json --seconds 0.9 |
        grep -a -o '"next":"[^"]*"'
      """#)
    #expect(names == [#"\xE9-1.wav"#, #"\xE9-2.wav"#, #"\xE9-3.wav"#])
    let path = FilePath(folder.url).text
    #expect(
      run.outputLines == (2...3).map { "\"next\":\"\(path)/\u{EFE9}-\($0).wav\"" }, "\(run.error)")
  }

  @Test
  func `a file whose name is not UTF-8 is played, and its name is unambiguous in JSON`()
    async throws
  {
    let run = try await shell(
      #"""
      cp input.wav $'\xe9\x01\x9b.wav'; cp input.wav $'\ue9.wav'; cp input.wav '~'
      syrinx play -d virtual --json $'\xe9\x01\x9b.wav' $'\ue9.wav' ./~ '~' | grep -a advanced
      """#)
    #expect(run.status == 0, "\(run.error)")
    let files = try run.outputLines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require((object as? [String: Any])?["file"] as? String)
    }
    #expect(files == ["é.wav", "./~", "~"])
    let first = try await shell(#"syrinx play -d virtual --json $'\xe9\x01\x9b.wav' | head -n1"#)
    #expect(first.output.contains(#""file":"\#u{EFE9}\u0001\#u{EF9B}.wav""#), "\(first.output)")
  }

  @Test
  func
    `a virtual microphone captures a file whose name is not UTF-8, and a recording does not overwrite it`()
    async throws
  {
    let run = try await shell(
      #"""
      mv input.wav $'\xe9.wav'
      syrinx record out.wav -d $'virtual:\xe9.wav' --seconds 0.1 --quiet || exit
      syrinx record $'\xe9.wav' -d $'virtual:./\xe9.wav' --seconds 0.1
      """#)
    #expect(run.status == 64)
    #expect(
      run.error.hasPrefix(#"syrinx: \xE9.wav is the input of the virtual microphone"#),
      "\(run.error)")
  }

  @Test
  func `files, transcript folders, grammars, and models may have any name`() async throws {
    try folder.speech("go.wav")
    let run = try await shell(
      #"""
      mv go.wav $'go\xe9.wav'
      printf '#JSGF V1.0; grammar g; public <g> = go forward ten meters;' >$'g\xe9'
      ln -s /usr/share/pocketsphinx/model/en-us $'m\xe9'
      syrinx transcribe $'go\xe9.wav' --output-dir $'a\xe9/b' --grammar $'g\xe9' \
        --model $'m\xe9' && cat $'a\xe9/b/go\xe9.txt' &&
      syrinx wer $'a\xe9/b/go\xe9.txt' <(echo go forward ten meters) &&
      syrinx listen -d $'virtual:go\xe9.wav' --keep $'kept\xe9.wav' && syrinx engines --model $'m\xe9'
      """#)
    #expect(run.status == 0, "\(run.error)")
    let lines = run.outputLines
    #expect(
      lines.first == "go forward ten meters" && lines.dropFirst().first?.hasPrefix("0.0%") == true)
    #expect(lines.contains { $0.hasSuffix(#"/m\xE9"#) }, "\(lines)")
    #expect(names.contains(#"kept\xE9.wav"#), "\(names)")
  }

  @Test(arguments: ["play -d virtual", "transcribe", "wer /dev/null", "record x.wav -d virtual:"])
  func `control characters in a file name do not reach the terminal`(_ command: String) async throws
  {
    let run = try await shell(
      "syrinx \(command)" + (command.hasSuffix(":") ? "" : " ")
        + #"$'no\xe9\e[2J\n\u009b\u202e.wav'"#)
    #expect(run.status == 1)
    #expect(run.error.contains(#"no\xE9\x1B[2J\n\u{9B}\u{202E}.wav"#), "\(run.error)")
    #expect(!(run.error + run.output).unicodeScalars.contains { $0.isControl && $0 != "\n" })
  }

  @Test
  func `control characters in a wrong argument do not reach the terminal`() async throws {
    let run = try await shell(#"syrinx play x.wav $'--\e[2J\xe9'; syrinx devices $'\u009b\xe9'"#)
    #expect(run.status == 64)
    #expect(
      run.error.contains(#"\x1B[2J\xE9"#) && run.error.contains(#"\u{9B}\xE9"#), "\(run.error)")
    #expect(!run.error.unicodeScalars.contains { $0.isControl && $0 != "\n" })
  }

  @Test(
    arguments: [
      "play ''", "play a.wav ''", "record ''", "transcribe ''", "transcribe a.wav --output-dir ''",
      "listen --keep ''", "wer a.txt ''", "transcribe a.wav --grammar ''",
      "transcribe a.wav --model ''",
    ])
  func `an empty name is a usage error`(_ command: String) async throws {
    let run = try await shell("syrinx \(command)")
    #expect(run.status == 64)
    #expect(run.error.hasPrefix("syrinx: "), "\(run.error)")
  }
}
