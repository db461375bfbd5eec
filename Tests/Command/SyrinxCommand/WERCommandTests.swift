import Foundation
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WERCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.file(name))
  }

  @Test
  func `'wer' compares a transcript from a pipe with a reference`() async throws {
    try folder.speech("go.wav")
    try write("Go forward ten miles.\n", to: "said.txt")
    let run = try await BuiltCommand.shell(
      "syrinx transcribe go.wav | syrinx wer said.txt -", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "25.0% (1 error in 4 words: 1 substituted, 0 deleted, 0 inserted)\n")
  }

  @Test
  func `--text compares the arguments, and --alignment prints each word`() async throws {
    let run = try await BuiltCommand.run(
      "wer", "--text", "a b c", "A x c d", "--alignment", in: folder)
    #expect(
      run.outputLines == [
        "= a", "S b -> x", "= c", "I d",
        "66.7% (2 errors in 3 words: 1 substituted, 0 deleted, 1 inserted)",
      ])
  }

  @Test(arguments: ["--raw", "--verbatim"])
  func `texts are normalized unless --raw is given`(option: String) async throws {
    let recognized = try await BuiltCommand.run(
      "wer", "--text", "It isn't $250, uh.", "it is not two hundred fifty dollars", in: folder)
    #expect(recognized.output.hasPrefix("0.0% (0 errors in 5 words"))
    let written = try await BuiltCommand.run("wer", "--text", option, "A", "a", in: folder)
    #expect(written.output.hasPrefix("100.0%"))
  }

  @Test
  func `the JSON of 'wer' is one object with the counts and the words`() async throws {
    let run = try await BuiltCommand.run("wer", "--text", "a b", "a", "--json", in: folder)
    #expect(
      run.output == """
        {"alignment":[{"hypothesis":"a","kind":"match","reference":"a"},\
        {"kind":"deletion","reference":"b"}],"deletions":1,"hypothesisWords":1,"insertions":0,\
        "rate":0.5,"referenceWords":2,"substitutions":0}

        """)
  }

  @Test
  func `with --json, a missing file or a text without words yields an object with the error`()
    async throws
  {
    for arguments in ["nowhere.txt nowhere.txt", "--text ... a"] {
      let run = try await BuiltCommand.shell("syrinx wer --json \(arguments)", in: folder)
      #expect(run.status == 1 && run.outputLines.count == 1 && run.errorLines.count == 1)
      #expect(run.output.hasPrefix(#"{"error":""#), "\(run.output)")
    }
    let above = try await BuiltCommand.run(
      "wer", "--json", "--text", "a b", "a", "--limit", "1", in: folder)
    #expect(above.status == 1 && above.outputLines.count == 1)
  }

  @Test
  func `--limit determines the exit status`() async throws {
    let above = try await BuiltCommand.run(
      "wer", "--text", "a b", "a", "--limit", "49.9", in: folder)
    #expect(above.status == 1)
    #expect(above.error == "syrinx: the word error rate is 50.0%, above the limit of 49.9%\n")
    let at = try await BuiltCommand.run("wer", "--text", "a b", "a", "--limit", "50", in: folder)
    #expect(at.status == 0 && at.error.isEmpty)
  }

  @Test(arguments: [("28", 0), ("27.9", 1)] as [(String, Int32)])
  func `an error rate equal to the limit does not exceed the limit`(limit: String, status: Int32)
    async throws
  {
    let reference = Array(repeating: "a", count: 25).joined(separator: " ")
    let hypothesis = Array(repeating: "a", count: 18).joined(separator: " ")
    let run = try await BuiltCommand.run(
      "wer", "--text", reference, hypothesis, "--limit", limit, in: folder)
    #expect(run.status == status, "\(run.error)")
    #expect(run.output.hasPrefix("28.0% (7 errors in 25 words"), "\(run.output)")
  }

  @Test
  func `a text may come from a named pipe, a shell's pipe, or standard input`() async throws {
    let run = try await BuiltCommand.shell(
      """
      syrinx wer <(echo a b) <(echo a c) || exit
      mkfifo pipe; echo a b >pipe & syrinx wer pipe - <<<'a b'
      """, in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.map { $0.prefix(5) } == ["50.0%", "0.0% "])
  }

  @Test
  func `the error for an unreadable file contains the reason`() async throws {
    try write("a\n", to: "a.txt")
    let folder = try await BuiltCommand.run("wer", ".", "a.txt", in: folder)
    #expect(folder.error == "syrinx: cannot read .: it is a folder; name a file in it\n")
    let below = try await BuiltCommand.run("wer", "a.txt/b", "a.txt", in: self.folder)
    #expect(below.error.contains("a.txt/b: there is no such file"), "\(below.error)")
    let memory = try await BuiltCommand.run("wer", "/proc/self/mem", "a.txt", in: self.folder)
    #expect(
      memory.error
        == "syrinx: cannot read /proc/self/mem: Input/output error (errno 5)\n", "\(memory.error)")
    let made = try await BuiltCommand.run(
      "transcribe", "a.wav", "--output-dir", "a.txt", in: self.folder)
    #expect(made.error.contains("cannot create the folder a.txt: File exists"), "\(made.error)")
  }

  @Test
  func `the error for a file without words or with binary content names the file`() async throws {
    try write("...\n", to: "dots.txt")
    try Data([0xFF, 0xFE, 0x61]).write(to: folder.file("binary.txt"))
    let missing = try await BuiltCommand.run("wer", "nowhere.txt", "dots.txt", in: folder)
    #expect(missing.status == 1 && missing.error.contains("nowhere.txt: there is no such file"))
    let empty = try await BuiltCommand.run("wer", "dots.txt", "dots.txt", in: folder)
    #expect(empty.status == 1 && empty.error.contains("dots.txt has no words"))
    let binary = try await BuiltCommand.run("wer", "binary.txt", "dots.txt", in: folder)
    #expect(binary.status == 1 && binary.error.contains("binary.txt is not UTF-8 text"))
    #expect(try await BuiltCommand.run("wer", "-", "-", in: folder).status == 64)
    #expect(try await BuiltCommand.run("wer", "one.txt", in: folder).status == 64)
  }
}
