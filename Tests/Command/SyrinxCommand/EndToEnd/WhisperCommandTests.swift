import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

/// Runs the command with the Whisper that `syrinx engines install all` installs.
@Suite(.timeLimit(.minutes(5)), .enabled(if: hasWhisper, "Whisper is not installed"))
struct WhisperCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.speech("speech.wav")
  }

  private func shell(_ script: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      script, in: folder, environment: ["XDG_DATA_HOME": try #require(installed)])
  }

  @Test
  func `--engine whisper transcribes with the installed model, or with a model file`() async throws
  {
    let run = try await shell(
      """
      syrinx transcribe --engine whisper --locale en speech.wav
      ln -s "$XDG_DATA_HOME/syrinx/whisper-base/ggml-base-q8_0.bin" my-model.bin
      syrinx transcribe --engine whisper --model my-model.bin speech.wav
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.count == 2)
    for line in run.outputLines {
      #expect(
        line.hasPrefix("Go forward ten met") || line.hasPrefix("Go forward 10 met"), "\(line)")
    }
  }

  @Test
  func `a model file that is cut short is an error that names the file`() async throws {
    let run = try await shell(
      """
      head -c 1000000 "$XDG_DATA_HOME/syrinx/whisper-base/ggml-base-q8_0.bin" >cut.bin
      syrinx transcribe --engine whisper --model cut.bin speech.wav
      """)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.error.contains("cut.bin: it ends early"), "\(run.error)")
  }
}

private let installed = ProcessInfo.processInfo.environment["SYRINX_TEST_ENGINES"]

/// Whether Whisper is among the installed components.
private let hasWhisper = ["libwhisper", "whisper-base"].allSatisfy { name in
  installed.map { FilePath("\($0)/syrinx/\(name)").status != nil } ?? false
}
