import Foundation
import TestTools
import Testing

/// Transcribes a folder of recordings with the built command.
@Suite(.timeLimit(.minutes(5))) struct ArchiveEndToEndTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try FileManager.default.createDirectory(
      at: folder.file("calls/2024"), withIntermediateDirectories: true)
    for name in ["a.wav", "b.wav", "2024/c.wav"] { try folder.speech("calls/\(name)") }
  }

  private func shell(_ script: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      "transcribe() { syrinx transcribe --engine pocketsphinx \"$@\"; }; \(script)", in: folder)
  }

  /// Starts a run that has finished one file and is now reading the pipe `calls/gate`.
  private static func halfARun(after file: String = "calls/./a.wav") -> String {
    """
    mkfifo list events calls/gate; exec 3<>list 4<>events 5<>calls/gate
    syrinx transcribe --engine pocketsphinx --files-from list -o out --jobs 1 --json >&4 & first=$!
    printf '%s\\n' \(file) calls/./gate >&3
    read -r event <&4
    # A pipe holds less than this.
    cat calls/b.wav >&5
    """
  }

  @Test
  func `files listed by 'find' are transcribed, and names that are not UTF-8 keep their bytes`()
    async throws
  {
    let run = try await shell(
      #"""
      mv calls/a.wav $'calls/\xe9\n".wav'
      find calls/. -name '*.wav' -print0 >names
      transcribe --files-from - -0 -o out --format text,vtt --jobs 2 <names || exit
      (cd out; find . -name '*.txt' -print0 | LC_ALL=C sort -z | od -An -c | tr -d ' \n'; echo)
      cat out/2024/c.txt $'out/\xe9\n".txt'
      transcribe --files-from names --null -o out --format json,text,vtt --json | tail -n1
      transcribe calls -o out --format json,text,vtt --json --resume
      """#)
    #expect(run.status == 0, "\(run.error)")
    let lines = run.outputLines
    try #require(lines.count == 5, "\(run.output)")
    #expect(lines[0] == #"./2024/c.txt\0./b.txt\0./351\n".txt\0"#)
    #expect(lines[1] == "go forward 10 meters" && lines[2] == lines[1])
    #expect(lines[3] == #"{"event":"finished","failed":0,"skipped":0,"transcribed":3}"#)
    #expect(lines[4] == #"{"event":"finished","failed":0,"skipped":3,"transcribed":0}"#)
  }

  @Test(arguments: ["INT", "TERM", "KILL"])
  func `a run ended by a signal leaves complete transcripts and can be resumed`(
    signal: String
  ) async throws {
    let run = try await shell(
      """
      \(Self.halfARun())
      kill -\(signal) $first; wait $first; echo $?
      find out -type f | LC_ALL=C sort; exec 3>&- 4>&- 5>&-
      transcribe calls -o out --resume --json --format json | tail -n1
      transcribe calls -o out --resume --json --format json | tail -n1
      """)
    let status = ["INT": 130, "TERM": 143, "KILL": 137][signal] ?? 0
    #expect(run.status == 0, "\(run.error)")
    #expect(
      run.outputLines == [
        "\(status)"
      ] + (signal == "KILL" ? ["out/.lock"] : []) + [
        "out/a.jsonl", "out/manifest.jsonl",
        #"{"event":"finished","failed":0,"skipped":1,"transcribed":2}"#,
        #"{"event":"finished","failed":0,"skipped":3,"transcribed":0}"#,
      ])
  }

  @Test func `a signal during the wait for file names ends the run and leaves no lock`()
    async throws
  {
    let run = try await shell(
      """
      mkfifo list
      syrinx transcribe --engine pocketsphinx --files-from list -o out & first=$!
      # The list is opened after the lock was taken, and this waits for it.
      exec 3>list
      kill -TERM $first; wait $first; echo $?
      ls -A out
      """)
    #expect(run.outputLines == ["143", "manifest.jsonl"], "\(run.error)")
  }

  @Test func `the error for a second run in a folder names the process that locked the folder`()
    async throws
  {
    let run = try await shell(
      """
      \(Self.halfARun())
      transcribe calls/b.wav -o out; echo $?; echo $first on $(uname -n)
      kill $first; wait $first; ls out
      transcribe calls/b.wav -o out --format json; echo $?
      """)
    let lines = run.outputLines
    try #require(lines.count == 5, "\(run.output) \(run.error)")
    #expect(lines[0] == "1" && lines[2...] == ["a.jsonl", "manifest.jsonl", "0"])
    #expect(
      run.error == """
        syrinx: process \(lines[1]) is writing into out; wait until it ends, or choose another folder

        """)
  }

  @Test func `a run that reads its own manifest keeps its lock on the folder`() async throws {
    let run = try await shell(
      """
      \(Self.halfARun(after: "out/manifest.jsonl"))
      transcribe calls/b.wav -o out; echo $?
      kill $first; wait $first
      """)
    #expect(run.outputLines == ["1"])
    #expect(run.error.contains(" is writing into out; "), "\(run.error)")
  }

  @Test(.enabled("user and mount namespaces are not allowed") { try await canMount() })
  func `a run on a full disk ends with one message and can be resumed when there is space`()
    async throws
  {
    let run = try await shell(
      """
      for number in {1..9}; do cp calls/a.wav calls/$number.wav; done
      transcribe calls -o whole; mkdir out
      export -f transcribe; unshare -rm bash -c '
        mount -t tmpfs -o size=32k tmpfs out
        transcribe calls -o out; echo $?
        (($(find out -name "*.txt" | wc -l) == $(wc -l <out/manifest.jsonl))); echo $?
        find out -name ".syrinx*" | wc -l
        mount -o remount,size=1m out
        transcribe calls -o out --resume --json --format text | grep -c event...transcribed
        diff -r whole out'
      """)
    #expect(run.status == 0, "\(run.output) \(run.error)")
    let lines = run.outputLines
    try #require(lines.count == 4, "\(run.output) \(run.error)")
    #expect(lines[..<3] == ["1", "0", "0"])
    let left = try #require(Int(lines[3]))
    #expect(0 < left && left < 12)
    #expect(run.errorLines.count == 1 && run.error.contains("out/"), "\(run.error)")
  }

  private static func canMount() async throws -> Bool {
    try await BuiltCommand.shell("unshare -rm true", in: TestFolder()).status == 0
  }

  /// A limit on the file size has the same effect as a lost permission: a write fails in the middle
  /// of a line of the manifest.
  @Test
  func `a run that loses write permission ends with one message and can be resumed without loss`()
    async throws
  {
    let run = try await shell(
      """
      for number in {1..9}; do cp calls/a.wav calls/$number.wav; done
      (ulimit -f 1; transcribe calls -o out); echo $?
      tail -n1 out/manifest.jsonl | grep -c 'usual"}'
      transcribe calls -o out --resume; echo $?
      grep 'usual"}' out/manifest.jsonl | cut -d, -f1 | sort | uniq -d; find out -name '*.txt' | wc -l
      grep -c 'usual"}' out/manifest.jsonl
      """)
    #expect(run.outputLines == ["1", "0", "0", "12", "12"], "\(run.output)")
    #expect(
      run.error == """
        syrinx: cannot write out/manifest.jsonl: File too large (errno 27)

        """)
  }
}
