import Foundation
import TestTools
import Testing

/// Tests the command with its own Wyoming server in a child process.
@Suite(.timeLimit(.minutes(5)))
struct WyomingCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("said.wav")
  }

  private func transcribe(server: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      "syrinx transcribe said.wav --engine wyoming --server '\(server)'", in: folder)
  }

  @Test func `a server in a child process recognizes the same words as the engine itself`()
    async throws
  {
    let run = try await transcribe(server: "stdio:syrinx serve --wyoming stdio")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines == ["go forward ten meters"])
  }

  @Test
  func `after a crash, the error contains the child server's last output, and no process remains`()
    async throws
  {
    // The server responds to `describe`, and crashes at the first audio.
    try Data(
      """
      info='{"type":"info","data":{"asr":[{"name":"x"}]}}'
      sleep 1000 > alive &
      while read -r line; do
        case $line in *audio-start*) echo 'mdef is damaged' >&2; kill -ABRT $$ ;;
        *describe*) echo "$info" ;; esac
      done
      """.utf8
    ).write(to: folder.file("server.sh"))
    // `cat` and `wait` end when the last process that could write to the pipe has ended.
    let run = try await BuiltCommand.shell(
      """
      mkfifo alive
      cat alive &
      syrinx transcribe said.wav --engine wyoming --server 'stdio:exec sh server.sh'
      status=$?
      wait
      exit $status
      """, in: folder)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("ended by signal 6 (Aborted): mdef is damaged"), "\(run.error)")
  }

  @Test func `if a child server dies, one utterance is lost, with a message and exit status 1`()
    async throws
  {
    try folder.sample("two-utterances.wav", as: "two.wav")
    try Data(
      """
      if [ -e died ]; then exec syrinx serve --wyoming stdio; fi
      while read -r line; do
        case $line in
          *audio-start*) touch died; echo 'mdef is damaged' >&2; kill -ABRT $$ ;;
          *describe*) echo '{"type":"info","data":{"asr":[{"name":"x"}]}}' ;;
        esac
      done
      """.utf8
    ).write(to: folder.file("server.sh"))
    let run = try await BuiltCommand.shell(
      """
      syrinx transcribe two.wav --output-dir out --json --engine wyoming \
        --server 'stdio:exec sh server.sh' >/dev/null
      status=$?; cat out/two.jsonl; exit $status
      """, in: folder)
    #expect(run.status == 1)
    let lines = run.outputLines
    try #require(lines.count == 2, "\(lines) \(run.error)")
    #expect(lines[0].contains(#""event":"dropped","file":"two.wav","reason":"engine""#))
    #expect(lines[1].contains(#""text":"go forward ten meters""#))
    #expect(run.errorLines.count == 2, "\(run.error)")
    #expect(run.errorLines.last == "syrinx: 1 of 1 files failed; out/failed.txt lists them")
    #expect(run.error.contains("two.wav: "))
    #expect(run.error.contains("of audio at 0:0"))
    #expect(run.error.contains("mdef is damaged"), "\(run.error)")
  }

  @Test func `the error for an unreachable server contains the address`()
    async throws
  {
    let run = try await transcribe(server: "unix:///nowhere/s")
    #expect(run.status == 1)
    #expect(run.error.contains("unix:///nowhere/s cannot be reached"), "\(run.error)")
  }

  @Test(arguments: [
    "--engine wyoming --server nowhere", "--engine wyoming --server stdio",
    "--server tcp://localhost:1", "--engine wyoming --model folder",
  ]) func `invalid arguments are a usage error`(arguments: String) async throws {
    let run = try await BuiltCommand.shell("syrinx transcribe said.wav \(arguments)", in: folder)
    #expect(run.status == 64)
  }

  @Test func `a grammar for a Wyoming server is refused`() async throws {
    let run = try await BuiltCommand.shell(
      """
      echo '#JSGF V1.0; grammar g; public <g> = go;' > g.gram
      syrinx transcribe said.wav --engine wyoming --grammar g.gram \
        --server 'stdio:syrinx serve --wyoming stdio'
      """, in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains("wyoming does not support grammars"), "\(run.error)")
  }
}
