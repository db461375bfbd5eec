import Foundation
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ListenCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `'listen' writes utterances until the microphone ends`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run("listen", "--device", "virtual:go.wav", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error.isEmpty)
  }

  @Test
  func `without a terminal, 'listen' shows partial results only as JSON`() async throws {
    try folder.speech("go.wav")
    let text = try await BuiltCommand.run(
      "listen", "--partials", "--device", "virtual:go.wav", in: folder)
    #expect(text.output == "go forward 10 meters\n")
    let json = try await BuiltCommand.run(
      "listen", "--partials", "--json", "--device", "virtual:go.wav", in: folder)
    let lines = try UtteranceLine.results(of: json.outputLines)
    #expect(lines.last?.final == true)
    #expect(lines.last?.text == "go forward 10 meters")
    #expect(lines.dropLast().contains { !$0.final && $0.text.hasPrefix("go") })
    #expect(lines.count { $0.final } == 1)
    // Stable words must stay the same in all later results.
    var stable = ""
    for line in lines {
      #expect(line.text.hasPrefix(stable), "\(line.text) does not begin with \(stable)")
      stable = line.stable ?? line.text
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends 'listen' after the last final result`(signal: Int32) async throws {
    try folder.speech("go.wav")
    let padded = try await BuiltCommand.shell("sox go.wav long.wav pad 0 60", in: folder)
    #expect(padded.status == 0)
    let clock = ContinuousClock()
    let start = clock.now
    let run = try RunningCommand(
      "listen", "--partials", "--json", "--device", "virtual:long.wav",
      in: folder, watching: .output)
    // The first result is partial, except on a very busy machine.
    var lines = [try #require(await run.lines.first(containing: "go"))]
    run.send(signal)
    for await line in run.lines { lines.append(line) }
    let results = try UtteranceLine.results(of: lines)
    #expect(results.count { $0.final } == 1)
    #expect(results.last?.final == true && results.last?.text.hasPrefix("go") == true)
    #expect(await run.status() == 0)
    // Without the signal, the microphone would capture for a minute.
    #expect(clock.now - start < .seconds(60))
  }

  @Test(arguments: ["", "--keep kept.wav"])
  func `'listen' counts samples that are NaN or infinite`(
    options: String
  ) async throws {
    try folder.speech("go.wav")
    var samples = try folder.samples("go.wav")
    (samples[160], samples[161]) = (.nan, .infinity)
    try folder.floats("broken.wav", samples)
    let run = try await BuiltCommand.shell(
      "syrinx listen --device virtual:broken.wav \(options)", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error.contains("contains 2 NaN or infinite samples, replaced by silence"))
  }

  @Test
  func `the error for a model folder that does not exist names the folder`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:a.wav", in: folder,
      environment: ["SYRINX_POCKETSPHINX_MODEL": folder.file("nowhere").path])
    #expect(run.status == 1)
    #expect(run.error.contains("nowhere: the folder does not exist"))
  }

  @Test
  func `the error of 'listen' without a sound card names the reason`() async throws {
    let run = try await BuiltCommand.run(
      "listen", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 1)
    #expect(run.error.contains("no sound card"))
  }

  @Test(arguments: ["listen", "record out.wav", "measure", "play tone.wav"])
  func `with --json, a command whose device is missing prints an object with the error`(
    command: String
  ) async throws {
    try folder.tone("tone.wav", .seconds(1))
    let run = try await BuiltCommand.shell("syrinx \(command) --json --device hw:97", in: folder)
    #expect(run.status == 1)
    #expect(run.outputLines.last?.hasPrefix(#"{"error":"no "#) == true, "\(run)")
  }

  @Test
  func `the virtual loudspeaker as a microphone is a usage error`() async throws {
    let run = try await BuiltCommand.run("listen", "--device", "virtual", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains("virtual:FILE"))
  }
}
