import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecordCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["out.wav", "- > out.wav"])
  func `'record' counts samples that are NaN or infinite`(
    target: String
  ) async throws {
    try folder.floats("broken.wav", [.nan, .infinity] + .init(repeating: 0.25, count: 8_000))
    let run = try await BuiltCommand.shell(
      "syrinx record --seconds 0.25 --device virtual:broken.wav \(target)", in: folder)
    #expect(run.status == 0)
    #expect(
      run.error.contains("2 captured samples are NaN or infinite and are recorded as silence"))
    #expect(try folder.samples("out.wav").prefix(3) == [0, 0, 0.25])
  }

  @Test
  func `'record' writes the samples of the microphone unchanged`() async throws {
    try folder.tone("input.wav", .milliseconds(300))
    let run = try await record("out.wav", "--device", "virtual:input.wav")
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    #expect(run.error == "0:00.3 recorded, peak -6.0 dBFS, RMS -9.0 dBFS, nothing clipped\n")
    #expect(try folder.samples("out.wav") == folder.samples("input.wav"))
    let quiet = try await record("quiet.wav", "--device", "virtual:input.wav", "--quiet")
    #expect(quiet.status == 0 && quiet.error.isEmpty)
  }

  @Test(arguments: [
    "out.wav", "out.aiff", "out.au", "out.caf", "out.flac", "out.ogg", "out.opus", "out.mp3",
    "OUT.FLAC",
  ])
  func `the extension selects the format, and --seconds the length`(file: String) async throws {
    try folder.tone("input.wav", .seconds(1))
    let run = try await record(file, "--device", "virtual:input.wav", "--seconds", "0.2")
    #expect(run.status == 0)
    let reader = try SoundFileReader(url: folder.file(file))
    let expected = try SoundFileEncoding(pathExtension: folder.file(file).pathExtension)
    #expect(reader.encodingDescription.lowercased().contains(expected.container.word))
    let count = try folder.samples(file).count
    let expectedCount = reader.format.sampleRate.hertz / 5
    // An MP3 file contains whole blocks of its encoder, so it may be longer.
    #expect(expected == .mp3 ? count >= expectedCount : count == expectedCount)
  }

  @Test
  func `a recording has the requested rate and channels`() async throws {
    try folder.tone("input.wav", .milliseconds(300))
    let run = try await record(
      "out.wav", "--device", "virtual:input.wav", "--rate", "8000", "--channels", "2")
    #expect(run.status == 0)
    let reader = try SoundFileReader(url: folder.file("out.wav"))
    #expect(reader.format.sampleRate == 8_000 && reader.format.channelCount == 2)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends the recording with a complete file`(signal: Int32) async throws {
    try folder.tone("input.wav", .seconds(20))
    let run = try RunningCommand(
      "record", "out.wav", "--device", "virtual:input.wav", "--verbose",
      in: folder, watching: .error)
    #expect(await run.lines.first(containing: "virtual:input.wav provides ") != nil)
    #expect(await run.lines.first(containing: "recorded") != nil)
    run.send(signal)
    #expect(await run.status() == 0)
    let recorded = try folder.samples("out.wav")
    #expect(recorded.count > 0)
    #expect(try recorded[...] == folder.samples("input.wav").prefix(recorded.count))
    let reader = try SoundFileReader(url: folder.file("out.wav"))
    #expect(reader.announcedFrameCount?.rawValue == recorded.count)
  }

  @Test
  func `under nohup a recording continues after SIGHUP`() async throws {
    try folder.tone("input.wav", .milliseconds(500))
    let run = try await BuiltCommand.shell(
      """
      trap '' HUP
      syrinx record out.wav -d virtual:input.wav & recorder=$!
      kill -HUP $recorder; wait $recorder
      """, in: folder)
    #expect(run.status == 0)
    #expect(try folder.samples("out.wav").count == 8_000)
  }

  @Test
  func `'record -' writes a WAV stream that SoX reads`() async throws {
    try folder.tone("input.wav", .seconds(1))
    let run = try await BuiltCommand.shell(
      "syrinx record - --seconds 0.25 -d virtual:input.wav | sox -t wav - out.wav", in: folder)
    #expect(run.status == 0)
    let expected = try folder.samples("input.wav").prefix(4_000)
    #expect(try folder.samples("out.wav")[...] == expected)
  }

  @Test(arguments: [
    ("16", "-e signed -b 16"), ("24", "-e signed -b 24"), ("32", "-e signed -b 32"),
    ("float", "-e floating-point -b 32"),
  ])
  func `'record - --raw' writes samples without a header`(
    bits: String, options: String
  ) async throws {
    try folder.tone("input.wav", .seconds(1))
    let run = try await BuiltCommand.shell(
      """
      syrinx record - --raw --bits \(bits) --seconds 0.25 -d virtual:input.wav > out.raw
      sox input.wav -t raw \(options) expected.raw trim 0 4000s
      cmp out.raw expected.raw
      """, in: folder)
    #expect(run.status == 0, "\(run.output)\(run.error)")
  }

  @Test
  func `a command ends quietly when its reader goes away`() async throws {
    try folder.tone("input.wav", .seconds(20))
    let run = try await BuiltCommand.shell(
      "syrinx record - -d virtual:input.wav | head -c 44 >/dev/null", in: folder)
    #expect(run.status == 141)
    #expect(run.error.isEmpty)
  }

  @Test
  func `a recording does not overwrite the input of its virtual microphone`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await record("./a.wav", "--device", "virtual:a.wav")
    #expect(run.status == 64)
    #expect(try folder.samples("a.wav").count == 1_600)
  }

  @Test(arguments: [
    ("take.wav", "take-001.wav"), ("take-%02d.wav", "take-03.wav"), ("%d", "7"),
  ])
  func `the numbers of recording files skip the file that the virtual microphone reads`(
    file: String, captured: String
  ) async throws {
    try folder.tone("input.wav", .milliseconds(800))
    try FileManager.default.moveItem(at: folder.file("input.wav"), to: folder.file(captured))
    let before = try Data(contentsOf: folder.file(captured))
    let run = try await record(
      file, "--format", "wav", "--roll-seconds", "0.1", "--device", "virtual:\(captured)")
    #expect(run.status == 0)
    #expect(try Data(contentsOf: folder.file(captured)) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file(".").path)
    #expect(names.filter { (try? folder.samples($0)) != nil }.count == 1 + 8)
  }

  @Test
  func `a file name with a percent sign is taken literally`() async throws {
    try folder.tone("50%done-x.wav", .milliseconds(200))
    let run = try await record("50%done.wav", "--device", "virtual:50%done-x.wav")
    #expect(run.status == 0)
    #expect(try folder.samples("50%done.wav") == folder.samples("50%done-x.wav"))
  }

  @Test(arguments: [
    ("missing/out.wav", "missing/out.wav"), ("folder.wav", "folder.wav is a folder"),
  ])
  func `the error for a file that cannot be created contains its name`(file: String, names: String)
    async throws
  {
    try folder.tone("input.wav", .milliseconds(100))
    try FileManager.default.createDirectory(
      at: folder.file("folder.wav"), withIntermediateDirectories: false)
    let run = try await record(file, "--device", "virtual:input.wav")
    #expect(run.status == 1)
    #expect(run.error.contains(names))
  }

  @Test
  func `a full disk ends 'record' with an error`() async throws {
    try folder.tone("input.wav", .milliseconds(100))
    try FileManager.default.createSymbolicLink(
      at: folder.file("full.wav"), withDestinationURL: URL(filePath: "/dev/full"))
    let run = try await record("full.wav", "--device", "virtual:input.wav")
    #expect(run.status == 1)
    #expect(run.error.contains("no space is left"))
    let pipe = try await BuiltCommand.shell(
      "syrinx record - -d virtual:input.wav >/dev/full", in: folder)
    #expect(pipe.status == 1)
    #expect(pipe.error.contains("no space is left"))
  }

  @Test
  func `a microphone that ends too early is an error, and its audio is kept`() async throws {
    try folder.tone("input.wav", .milliseconds(100))
    let run = try await record("out.wav", "--device", "virtual:input.wav", "--seconds", "5")
    #expect(run.status == 1)
    #expect(run.error.contains("after 0.100 s"))
    #expect(run.error.contains("5.000 s"))
    #expect(try folder.samples("out.wav").count == 1_600)
  }

  @Test
  func `a truncated input is captured to its actual end, with status 1`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await record("out.wav", "--device", "virtual:cut.wav")
    #expect(run.status == 1)
    #expect(run.error.contains("0.900 s of 1.000 s are missing"))
  }

  @Test
  func `a virtual microphone whose file is missing leaves no recording`() async throws {
    let run = try await record("out.wav", "--device", "virtual:missing.wav")
    #expect(run.status == 1)
    #expect(run.error.contains("missing.wav"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.wav").path))
  }

  @Test
  func `'record' without a sound card is an error and leaves no file`() async throws {
    let run = try await BuiltCommand.run(
      "record", "out.wav", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 1)
    #expect(run.error.contains("no sound card"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.wav").path))
  }

  @Test(arguments: [
    (["out.wav", "--seconds", "0"], "--seconds 0.0"),
    (["out.wav", "--seconds", "inf"], "'inf' is invalid for '--seconds <time>'"),
    (["out.wav", "--rate", "0"], "--rate 0"), (["out.wav", "--channels", "0"], "--channels 0"),
    (["out.wav", "--channels", "1000"], "--channels 1000"), (["out.m4a"], "\"m4a\""),
    (["out"], "no file format"), (["out.wav", "--device", "virtual"], "--device virtual"),
    (["out.wav", "--device", "virtual:"], "--device virtual:"), ([], "file"),
  ])
  func `a usage error has status 64, and its message names the argument`(
    arguments: [String], names: String
  )
    async throws
  {
    let run = try await BuiltCommand.shell(
      (["syrinx record"] + arguments.map { "'\($0)'" }).joined(separator: " "), in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(names))
  }

  private func record(_ arguments: String...) async throws -> BuiltCommand.Outcome {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await BuiltCommand.shell("syrinx record \(words)", in: folder)
  }
}

extension SoundFileEncoding.Container {
  /// A word in libsndfile's description of the container.
  fileprivate var word: String { self == .mp3 ? "mpeg" : rawValue }
}
