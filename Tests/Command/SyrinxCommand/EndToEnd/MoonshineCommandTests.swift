import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import SyrinxCommand

/// Runs the command with all components that `syrinx engines install all` installs.
///
/// `SYRINX_TEST_ENGINES` names the folder for `XDG_DATA_HOME`. Without it, for example if PyPI
/// cannot be reached, these tests are skipped, which Tests/run.sh reports.
@Suite(
  .timeLimit(.minutes(5)), .enabled(if: installed != nil, "nothing is installed"))
struct MoonshineCommandTests {
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
  func `an installed Moonshine is the default, and --engine selects PocketSphinx`()
    async throws
  {
    let engines = try await shell("syrinx engines")
    #expect(engines.output.hasPrefix("* moonshine "))
    #expect(engines.outputLines.last?.hasSuffix("/silero/silero_vad.onnx") == true)
    let run = try await shell(
      "syrinx transcribe speech.wav; syrinx transcribe --engine pocketsphinx speech.wav")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.first?.hasPrefix("Go forward 10 met") == true, "\(run.output)")
    #expect(run.outputLines.last == "go forward 10 meters")
  }

  @Test
  func `--model without --engine selects the engine of the model`() async throws {
    let run = try await shell(
      """
      ln -s "$XDG_DATA_HOME/syrinx/moonshine-base-en" mine
      syrinx transcribe --model mine speech.wav
      syrinx transcribe --model /usr/share/pocketsphinx/model/en-us speech.wav
      """)
    #expect(run.status == 0, "\(run.error)")
    // The folder's name has no language, so rules for English text do not apply.
    #expect(run.outputLines.first?.hasPrefix("Go forward ten met") == true, "\(run.output)")
    #expect(run.outputLines.last == "go forward 10 meters")
  }

  @Test(arguments: ["truncate -s 1000 $model/tokenizer.bin", "rm $model/tokenizer.bin"])
  func `a damaged model is an error that names the file`(
    damage: String
  ) async throws {
    let run = try await shell(
      """
      mkdir data; cp -r "$XDG_DATA_HOME/syrinx" data; export XDG_DATA_HOME=$PWD/data
      model=data/syrinx/moonshine-base-en; \(damage)
      syrinx transcribe speech.wav
      """)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.error.contains("moonshine-base-en/tokenizer.bin"), "\(run.error)")
  }

  @Test
  func `--verify finds all installed components intact`() async throws {
    let run = try await shell("syrinx engines --verify")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.outputLines.count == 5 && run.outputLines.allSatisfy { $0.hasSuffix(" is intact") })
  }

  /// In the first run, the fourth file is a pipe; the signal arrives while the run reads the pipe.
  @Test
  func `an archive interrupted with two jobs and then resumed equals the archive of a single run`()
    async throws
  {
    let run = try await shell(
      """
      for number in {1..6}; do sox -R speech.wav $number.wav vol 0.$number pad 0 0.$number; done
      command=(syrinx transcribe [1-6].wav --jobs 2 --format json,vtt --json)
      "${command[@]}" -o whole | tail -n1
      mv 4.wav kept; mkfifo 4.wav events; exec 3<>4.wav 4<>events
      "${command[@]}" -o out >&4 & run=$!
      for file in 1 2 3; do read -r event <&4; done
      # A pipe holds less than this.
      cat kept >&3
      kill -INT $run; wait $run; echo $?
      exec 3>&- 4>&-; rm 4.wav; mv kept 4.wav
      (cd out; ls *.vtt)
      "${command[@]}" -o out --resume | tail -n1
      diff -r whole out
      """)
    #expect(run.status == 0, "\(run.output) \(run.error)")
    #expect(
      run.outputLines == [
        #"{"event":"finished","failed":0,"skipped":0,"transcribed":6}"#, "130",
        "1.vtt", "2.vtt", "3.vtt",
        #"{"event":"finished","failed":0,"skipped":3,"transcribed":3}"#,
      ])
  }

  /// The arguments are processors and their machine numbers in an ELF header.
  @Test(arguments: [(Machine.x86, 0x3e), (.arm, 0xb7)])
  func `the ONNX Runtime library is installed for each processor, and loads on this machine`(
    machine: Machine, number: Int
  ) async throws {
    let runtime = EngineComponent.all.filter { $0.name == ONNXLibrary.component }
    let place = FilePath(folder.file("engines"))
    try await EngineInstaller(folder: place, machine: machine, console: try Console())
      .install(runtime)
    let library = place.appending(FilePath("\(ONNXLibrary.component)/\(ONNXLibrary.fileName)"))
    let head = try #require(FileHandle(forReadingAtPath: library.text)?.readData(ofLength: 20))
    #expect(head.prefix(4).elementsEqual([0x7f, 0x45, 0x4c, 0x46]))
    #expect(Int(head[18]) | Int(head[19]) << 8 == number)
    if machine == .this { #expect(throws: Never.self) { try ONNXLibrary(path: library) } }
  }
}

private let installed = ProcessInfo.processInfo.environment["SYRINX_TEST_ENGINES"]
