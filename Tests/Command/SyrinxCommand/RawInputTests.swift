import Foundation
import TestTools
import Testing

/// Inputs without a header.
@Suite(.timeLimit(.minutes(5)))
struct RawInputTests {
  private let folder: TestFolder
  /// The options for the samples of `go.raw`.
  private static let options = "--raw-input s16 --raw-rate 16000 --raw-channels 1"

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["transcribe - < go.raw", "transcribe go.raw", "listen - < go.raw"])
  func `raw speech has the same text as a WAV file`(arguments: String) async throws {
    try folder.rawSpeech()
    let run = try await BuiltCommand.shell("syrinx \(Self.options(arguments))", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("go forward 10 meters\n"))
    #expect(run.error.isEmpty, "\(run.error)")
  }

  @Test func `'listen -' writes an utterance while its stream continues`() async throws {
    try folder.rawSpeech(padding: 2)
    let run = try await BuiltCommand.shell(
      """
      mkfifo gate; { cat go.raw; cat gate; } | syrinx listen - \(Self.options) \
      | { read -r line; : > gate; echo "$line"; cat; }
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
  }

  @Test(arguments: ["ul", "al", "sln", "gsm"])
  func `a telephone recording has the same audio by its extension and by --raw-input`(
    ending: String
  ) async throws {
    let type = ending == "sln" ? "-t raw -e signed -b 16" : ""
    let made = try await BuiltCommand.shell(
      "sox -n -r 8000 -c 1 \(type) call.\(ending) synth 1 sine 440 gain -6", in: folder)
    #expect(made.status == 0, "\(made.error)")
    let named = try await BuiltCommand.shell("syrinx convert call.\(ending) a.wav", in: folder)
    #expect(named.status == 0, "\(named.error)")
    let coding = ["ul": "ulaw", "al": "alaw", "sln": "s16", "gsm": "gsm"][ending] ?? ""
    let options = "--raw-input \(coding) --raw-rate 8000 --raw-channels 1"
    let piped = try await BuiltCommand.shell(
      "cat call.\(ending) | syrinx convert - b.wav \(options)", in: folder)
    #expect(piped.status == 0, "\(piped.error)")
    #expect(try folder.samples("a.wav") == folder.samples("b.wav"))
    for command in ["info", "measure"] {
      let run = try await BuiltCommand.shell(
        "syrinx \(command) --json - \(options) < call.\(ending)", in: folder)
      #expect(run.status == 0, "\(run.error)")
      #expect(run.output.contains(#""rate":8000"#) && run.output.contains(#""channelCount":1"#))
    }
    let peaks = try await BuiltCommand.shell(
      "syrinx plot - --data json \(options) < call.\(ending)", in: folder)
    #expect(peaks.status == 0 && peaks.output.contains(#""sample_rate":8000"#), "\(peaks.error)")
  }

  @Test func `the report on an incomplete last frame names the length of the audio`() async throws {
    try Data(count: 2 * 8_000 + 1).write(to: folder.file("odd.sln"))
    for command in ["measure odd.sln", "info odd.sln", "convert odd.sln a.wav"] {
      let run = try await BuiltCommand.shell("syrinx \(command)", in: folder)
      #expect(run.status == 1)
      #expect(run.error.contains("odd.sln is incomplete: the file breaks off after 1.000 s"))
    }
    #expect(try folder.samples("a.wav").count == 8_000)
  }

  @Test(
    arguments: [
      ("transcribe - --raw-rate 8000", "require --raw-input"),
      ("transcribe - --raw mp3", "s16"), ("info - --raw s16 --raw-rate 0", "--raw-rate 0"),
      ("plot - --raw s16 --raw-channels 257", "--raw-channels 257"),
      ("convert - a.wav --raw-input gsm --raw-channels 2", "GSM 6.10 has 1 channel, not 2"),
      ("measure - --raw g722 --raw-rate 8000", "G.722 has 1 channel at 16000 Hz"),
      ("measure -d virtual:a.wav --raw s16", "--raw-input requires files"),
      ("convert - out.wav --raw s16", "--raw describes the output; use --raw-input s16"),
      ("play a.raw --raw s16", "--raw-input requires standard input"),
    ])
  func `impossible options for raw audio are usage errors`(
    arguments: String, text: String
  ) async throws {
    let run = try await BuiltCommand.shell("syrinx \(arguments)", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(text), "\(run.error)")
  }

  @Test(arguments: ["transcribe", "measure", "info", "plot"])
  func `--raw-input and a web address are an error before the address is opened`(
    command: String
  ) async throws {
    // The port is the discard port, where no server answers.
    let run = try await BuiltCommand.shell(
      "syrinx \(command) http://127.0.0.1:9/a --raw-input s16", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("download the file first"), "\(run.error)")
  }

  @Test(arguments: ["transcribe", "listen", "measure", "info", "plot"])
  func `empty raw input is an error`(command: String) async throws {
    let run = try await BuiltCommand.shell(
      "syrinx \(command) - --raw-input s16 < /dev/null", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("standard input is empty"), "\(run.error)")
  }

  private static func options(_ arguments: String) -> String {
    arguments.contains("<")
      ? arguments.replacing("<", with: "\(options) <") : "\(arguments) \(options)"
  }
}

extension TestFolder {
  /// Writes speech without a header, followed by seconds of silence.
  fileprivate func rawSpeech(padding: Int = 0) throws {
    try speech("go.wav")
    let arguments = ["-t", "raw", "-e", "signed", "-b", "16", file("go.raw").path, "pad", "0"]
    try Tool.run("sox", package: "sox", [file("go.wav").path] + arguments + ["\(padding)"])
  }
}
