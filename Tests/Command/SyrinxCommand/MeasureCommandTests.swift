import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MeasureCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func tone(_ name: String, seconds: Int, dBFS: Double) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let signal = AudioSignal.sine(997, amplitude: Float(Decibels(dBFS).amplitude))
    let writer = try SoundFileWriter(
      url: folder.file(name), format: format, encoding: .wavFloat)
    try writer.write(signal.buffer(.seconds(seconds), format: format))
    try writer.close()
  }

  @Test
  func `'measure' prints the results for a file`() async throws {
    try tone("a.wav", seconds: 5, dBFS: -23)
    let run = try await BuiltCommand.run("measure", "a.wav", in: folder)
    #expect(run.status == 0 && run.error.isEmpty)
    let lines = run.outputLines
    #expect(lines[0] == "a.wav (48000 Hz, stereo, 0:05.0)")
    #expect(lines[1].hasPrefix("  loudness    -23.0 LUFS, range 0."))
    #expect(lines[1].contains(" LU, momentary up to -23.0 LUFS"))
    #expect(lines[2].hasPrefix("  peak        -23.0 dBFS, true peak -23.0 dBTP"))
    #expect(lines.contains("  clipped     none"))
    #expect(lines.contains { $0.hasPrefix("  FR") })
  }

  @Test(arguments: [1e20, .greatestFiniteMagnitude] as [Float])
  func `'measure' succeeds for samples far beyond full scale`(sample: Float) async throws {
    try folder.floats("a.wav", Array(repeating: sample, count: 16_000))
    let text = try await BuiltCommand.run("measure", "a.wav", in: folder)
    #expect(text.status == 0 && text.output.contains("  offset "), "\(text.error)")
    let json = try await BuiltCommand.run("measure", "a.wav", "--json", in: folder)
    #expect(json.status == 0 && json.output.contains("\"offset\":"), "\(json.error)")
  }

  @Test func `a tiny negative offset is 0 in the JSON of 'measure', not -0`() async throws {
    try folder.floats("a.wav", Array(repeating: -1e-9, count: 16_000))
    let json = try await BuiltCommand.run("measure", "a.wav", "--json", in: folder)
    #expect(json.output.contains("\"offset\":0,"), "\(json.output)")
  }

  @Test
  func `the JSON of 'measure' is an object for each file in order, even if a file fails`()
    async throws
  {
    try tone("a.wav", seconds: 4, dBFS: -23)
    try tone("b.wav", seconds: 1, dBFS: 0)
    try Data("text".utf8).write(to: folder.file("c.wav"))
    let run = try await BuiltCommand.run(
      "measure", "a.wav", "c.wav", "nowhere.wav", "b.wav", "--json", "--jobs", "3", in: folder)
    #expect(run.status == 1)
    #expect(run.error.split(separator: "\n").count == 2, "\(run.error)")
    struct Record: Decodable {
      let file: String
      let integrated: Double
      let clipped: Int
      let length: Double
    }
    let failures = run.outputLines.filter { $0.hasPrefix(#"{"error":""#) }
    #expect(run.outputLines.count == 4 && failures.count == 2)
    #expect(failures == Array(run.outputLines[1...2]))
    #expect(failures[0].contains(#""file":"c.wav""#) && failures[1].contains("nowhere.wav"))
    let records = try run.outputLines.filter { !failures.contains($0) }.map {
      try JSONDecoder().decode(Record.self, from: Data($0.utf8))
    }
    #expect(records.map(\.file) == ["a.wav", "b.wav"])
    #expect(abs(records[0].integrated + 23) < 0.1 && records[0].length == 4)
    #expect(records[0].clipped == 0 && records[1].clipped > 0)
  }

  @Test
  func `'measure' measures standard input, and a device until the device ends`() async throws {
    try tone("a.wav", seconds: 1, dBFS: -20)
    let piped = try await BuiltCommand.shell("cat a.wav | syrinx measure -", in: folder)
    #expect(
      piped.status == 0 && piped.output.hasPrefix("standard input (48000 Hz, stereo, 0:01.0)"))
    let device = try await BuiltCommand.run(
      "measure", "--device", "virtual:a.wav", "--json", in: folder)
    #expect(device.status == 0, "\(device.error)")
    #expect(device.outputLines.first?.contains("\"event\":\"loudness\"") == true)
    #expect(device.outputLines.last?.contains("\"event\":\"finished\"") == true)
    #expect(device.outputLines.last?.contains("\"frames\":48000") == true)
  }

  @Test
  func `--silence sets the silence threshold for files and devices`() async throws {
    try tone("a.wav", seconds: 1, dBFS: -50)
    for source in ["a.wav", "--device virtual:a.wav"] {
      let run = try await BuiltCommand.shell(
        "syrinx measure \(source) --silence -40 --json", in: folder)
      #expect(run.status == 0, "\(run.error)")
      #expect(run.outputLines.last?.contains("\"silenceAtStart\":1,") == true, "\(run.output)")
    }
  }

  @Test
  func `on a terminal, a device has a meter with the short-term loudness`() async throws {
    try tone("a.wav", seconds: 1, dBFS: -6)
    let run = try await BuiltCommand.shell(
      "script -qec 'syrinx measure --device virtual:a.wav' /dev/null", in: folder,
      environment: ["TERM": "xterm"])
    #expect(run.output.contains("LUFS [##################  ] [##################  ] -6.0 dBFS"))
  }

  @Test(arguments: [
    "", "a.wav --device virtual:a.wav", "a.wav --seconds 1", "- -", "a.wav --silence 3",
    "--device virtual:a.wav --jobs 2",
  ])
  func `a usage error has status 64`(arguments: String) async throws {
    let run = try await BuiltCommand.shell("syrinx measure \(arguments)", in: folder)
    #expect(run.status == 64)
  }
}
