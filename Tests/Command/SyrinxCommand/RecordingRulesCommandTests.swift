import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Runs `syrinx record` with rules, signals, and events.
@Suite(.timeLimit(.minutes(5)))
struct RecordingRulesCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Writes half a second each of silence, a tone, and silence, at 16 kHz.
  private func speech() throws -> [Float] {
    try folder.tone("tone.wav", .milliseconds(500))
    let silence = [Float](repeating: 0, count: 8_000)
    let samples = try silence + folder.samples("tone.wav") + silence
    let writer = try SoundFileWriter(
      url: folder.file("input.wav"), format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(format: .speech, samples: samples))
    try writer.close()
    return try folder.samples("input.wav")
  }

  @Test
  func `a recording begins at a sound and ends after silence`() async throws {
    let captured = try speech()
    let run = try await record(
      "out.wav --start-at-sound --pre-roll 0.2 --stop-after-silence 0.1 --json")
    #expect(run.status == 0)
    let loud = captured.indices.filter { abs(captured[$0]) >= 0.01 }
    let (first, last) = (try #require(loud.first), try #require(loud.last))
    #expect(try folder.samples("out.wav") == Array(captured[(first - 3_200)...(last + 1_600)]))
    #expect(run.outputLines.first?.contains(#""event":"started""#) == true)
    #expect(run.outputLines.contains(#"{"event":"began","preRoll":0.2}"#))
    #expect(run.outputLines.last?.contains(#""reason":"silence""#) == true)
  }

  @Test
  func `standard output gets a recording from the first sound to the silence after it`()
    async throws
  {
    let input = try speech()
    let run = try await pipe("--start-at-sound --pre-roll 0.2 --stop-after-silence 0.1")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.errorLines.count == 1 && run.error.contains(" recorded, "), "\(run.error)")
    let loud = input.indices.filter { abs(input[$0]) >= 0.01 }
    let (first, last) = (try #require(loud.first), try #require(loud.last))
    #expect(try folder.samples("piped.wav") == Array(input[(first - 3_200)...(last + 1_600)]))
  }

  @Test
  func `standard output gets a recording without silence at its ends`() async throws {
    let input = try speech()
    let run = try await pipe("--trim-silence --hold 0 --threshold -50")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.errorLines.count == 1 && run.error.contains(" recorded, "), "\(run.error)")
    let loud = input.indices.filter { abs(input[$0]) >= 0.0032 }
    #expect(
      try folder.samples("piped.wav") == Array(input[loud[0]...(try #require(loud.last))]))
  }

  @Test(arguments: ["silence", "omit", "stop"])
  func `if there are no gaps, standard output gets all audio with any --gaps rule`(
    rule: String
  ) async throws {
    let input = try speech()
    let run = try await pipe("--gaps \(rule)")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.errorLines.count == 1 && run.error.contains(" recorded, "), "\(run.error)")
    #expect(try folder.samples("piped.wav") == input)
  }

  @Test
  func `with --start-at-sound, silence writes nothing to standard output`() async throws {
    try folder.silence("input.wav", .milliseconds(500))
    let run = try await pipe("--start-at-sound")
    #expect(run.status == 1 && run.error.contains("before it captured any audio"), "\(run.error)")
    #expect(try Data(contentsOf: folder.file("piped.wav")).isEmpty)
  }

  @Test
  func `a recording stopped before the first sound leaves no file`() async throws {
    try folder.silence("silence.wav", .seconds(60))
    let run = try RunningCommand(
      "record", "out.wav", "--start-at-sound", "-d", "virtual:silence.wav", "--json", in: folder,
      watching: .output)
    #expect(await run.lines.first(containing: "waiting") != nil)
    run.send(SIGINT)
    #expect(await run.lines.first(containing: "finished")?.contains(#""frames":0"#) == true)
    #expect(await run.status() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.wav").path))
  }

  @Test
  func `before the first sound the previous file is kept, and a second recorder is refused`()
    async throws
  {
    try folder.tone("take.wav", .seconds(1))
    let take = try Data(contentsOf: folder.file("take.wav"))
    try folder.silence("quiet.wav", .seconds(60))
    let run = try RunningCommand(
      "record", "take.wav", "--start-at-sound", "--json", "-d", "virtual:quiet.wav",
      in: folder, watching: .output)
    #expect(await run.lines.first(containing: "waiting") != nil)
    let second = try await BuiltCommand.run(
      "record", "take.wav", "-d", "virtual:quiet.wav", "--seconds", "1", in: folder)
    #expect(second.status == 1 && second.error.contains("take.wav is being written by another"))
    run.send(SIGINT)
    #expect(await run.status() == 0)
    #expect(try Data(contentsOf: folder.file("take.wav")) == take)
    #expect(try !folder.names.contains { $0.hasPrefix(".") })
  }

  /// After half a second of audio, a recording replaces the previous file.
  ///
  /// No temporary file remains.
  @Test
  func `a killed recorder leaves the previous or the new file, and the next recorder can begin`()
    async throws
  {
    try folder.tone("take.wav", .milliseconds(100))
    try folder.silence("quiet.wav", .seconds(60))
    for (options, frames) in [(["--start-at-sound"], 1_600...1_600), ([], 8_000...800_000)] {
      let run = try RunningCommand(
        arguments: ["record", "take.wav", "--json", "-d", "virtual:quiet.wav"] + options,
        in: folder, watching: .output)
      _ = try #require(
        await run.lines.first { $0.contains("waiting") || $0.contains(#""recorded":2"#) })
      run.send(SIGKILL)
      _ = await run.status()
      #expect(frames.contains(try folder.samples("take.wav").count))
      #expect(try folder.names == ["quiet.wav", "take.wav"])
    }
    let next = try await BuiltCommand.run(
      "record", "take.wav", "-d", "virtual:quiet.wav", "--seconds", "0.1", in: folder)
    #expect(try next.status == 0 && folder.samples("take.wav").count == 1_600)
  }

  @Test
  func `a file name with a placeholder for a date is refused for several files`() async throws {
    let run = try await BuiltCommand.run(
      "record", "take-%Y-%03d.wav", "--roll-seconds", "1", "-d", "virtual:a.wav", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains("%Y") && run.error.contains("%03d"))
  }

  @Test
  func `--trim-silence removes silence at both ends`() async throws {
    let captured = try speech()
    let run = try await record("out.wav --trim-silence --hold 0 --threshold -50")
    #expect(run.status == 0)
    let loud = captured.indices.filter { abs(captured[$0]) >= 0.0032 }
    #expect(
      try folder.samples("out.wav") == Array(captured[loud[0]...(try #require(loud.last))]))
  }

  @Test
  func `--roll-seconds splits the recording without losing a frame`() async throws {
    let captured = try speech()
    let run = try await record("out.wav --roll-seconds 0.7")
    #expect(run.status == 0)
    let names = ["out.wav", "out-001.wav", "out-002.wav"]
    let files = try names.map { try folder.samples($0) }
    #expect(files.map(\.count) == [11_200, 11_200, 1_600])
    #expect(files.flatMap { $0 } == captured)
  }

  @Test(arguments: [
    ("out.wav", ["out.wav", "out-002.wav", "out-003.wav"]),
    ("out-%03d.wav", ["out-002.wav", "out-003.wav", "out-004.wav"]),
  ])
  func `numbered files overwrite no earlier recording`(file: String, names: [String]) async throws {
    let captured = try speech()
    let old = Data("an old take".utf8)
    try old.write(to: folder.file("out-001.wav"))
    let run = try await record("\(file) --roll-seconds 0.7 --json")
    #expect(run.status == 0)
    #expect(try Data(contentsOf: folder.file("out-001.wav")) == old)
    #expect(try names.flatMap { try folder.samples($0) } == captured)
    let rolled = run.outputLines.filter { $0.contains(#""event":"rolled""#) }
    #expect(rolled.count == 2 && rolled.allSatisfy { !$0.contains("out-001") })
  }

  @Test
  func `--pick-channels records only the named channels, to a file and to standard output`()
    async throws
  {
    try folder.tone("tone.wav", .milliseconds(300))
    let run = try await BuiltCommand.shell(
      """
      sox -M tone.wav -v 0.5 tone.wav input.wav
      syrinx record out.wav -d virtual:input.wav --pick-channels 2
      syrinx record - -d virtual:input.wav --pick-channels 2,2 | sox -t wav - piped.wav
      sox input.wav second.wav remix 2
      """, in: folder)
    #expect(run.status == 0)
    let second = try folder.samples("second.wav")
    #expect(try folder.samples("out.wav") == second)
    #expect(try folder.samples("piped.wav") == second.flatMap { [$0, $0] })
  }

  @Test
  func `a channel that the device lacks is an error`() async throws {
    _ = try speech()
    let run = try await record("out.wav --pick-channels 2")
    #expect(run.status == 1)
    #expect(run.error.contains("channel 2 was picked"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.wav").path))
  }

  @Test
  func `SIGUSR1 continues in the next file, and SIGUSR2 pauses and resumes`() async throws {
    try folder.tone("input.wav", .seconds(30))
    let old = Data("an old take".utf8)
    try old.write(to: folder.file("out-001.wav"))
    let run = try RunningCommand(
      "record", "out.wav", "--device", "virtual:input.wav", "--json", in: folder,
      watching: .output)
    #expect(await run.lines.first(containing: "levels") != nil)
    run.send(SIGUSR1)
    #expect(await run.lines.first(containing: "rolled") != nil)
    run.send(SIGUSR2)
    #expect(await run.lines.first(containing: "paused") != nil)
    run.send(SIGUSR2)
    #expect(await run.lines.first(containing: "resumed") != nil)
    run.send(SIGINT)
    #expect(await run.lines.first(containing: "finished") != nil)
    #expect(await run.status() == 0)
    let first = try folder.samples("out.wav")
    #expect(try Data(contentsOf: folder.file("out-001.wav")) == old)
    let joined = try first + folder.samples("out-002.wav").prefix(1)
    #expect(first.count > 0)
    #expect(try joined[...] == folder.samples("input.wav").prefix(joined.count))
  }

  @Test
  func `a recording to standard output ignores SIGUSR1 and SIGUSR2`() async throws {
    try folder.tone("input.wav", .seconds(30))
    let run = try RunningCommand(
      "record", "-", "--device", "virtual:input.wav", "--verbose", in: folder, watching: .error)
    #expect(await run.lines.first(containing: "recording from") != nil)
    run.send(SIGUSR1)
    run.send(SIGUSR2)
    #expect(await run.lines.first(containing: "recorded") != nil)
    run.send(SIGINT)
    #expect(await run.status() == 0)
  }

  @Test(arguments: [SIGUSR1, SIGUSR2])
  func `SIGUSR1 and SIGUSR2 end a command that does not use them`(signal: Int32) async throws {
    try folder.tone("input.wav", .seconds(30))
    let run = try RunningCommand(
      "play", "input.wav", "--device", "virtual", "--verbose", in: folder, watching: .error)
    #expect(await run.lines.first(containing: "input.wav") != nil)
    run.send(signal)
    #expect(await run.status() == 128 + signal)
  }

  @Test
  func `a muted microphone causes a warning`() async throws {
    let writer = try SoundFileWriter(
      url: folder.file("input.wav"), format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 52_000, format: .speech))
    try writer.close()
    let run = try await record("out.wav")
    #expect(run.status == 0)
    #expect(run.error.contains("the microphone captures digital silence; is it muted?"))
    let piped = try await BuiltCommand.shell(
      "syrinx record - -d virtual:input.wav >/dev/null", in: folder)
    #expect(piped.status == 0)
    #expect(piped.error.contains("the microphone captures digital silence; is it muted?"))
  }

  @Test
  func `a recording is completed when the reader of its events goes away`() async throws {
    try folder.tone("input.wav", .seconds(30))
    let run = try await BuiltCommand.shell(
      "syrinx record out.wav -d virtual:input.wav --json | head -n 1 >/dev/null", in: folder)
    #expect(run.status == 141)
    let reader = try SoundFileReader(url: folder.file("out.wav"))
    #expect(reader.announcedFrameCount?.rawValue == (try folder.samples("out.wav").count))
  }

  /// Records to standard output, which is piped into a file.
  private func pipe(_ arguments: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      "syrinx record - \(arguments) --device virtual:input.wav | cat >piped.wav", in: folder)
  }

  private func record(_ arguments: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(
      "syrinx record \(arguments) --device virtual:input.wav", in: folder)
  }
}
