import Foundation
import TestTools
import Testing

/// Tests `syrinx play` with faulty files and devices.
@Suite(.timeLimit(.minutes(5)))
struct PlayFaultTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `'play' reports an unplayable file and continues with the next one`() async throws {
    try folder.tone("good.wav", .milliseconds(100))
    try Data().write(to: folder.file("empty.wav"))
    try Data("hello\n".utf8).write(to: folder.file("text.wav"))
    try FileManager.default.createDirectory(
      at: folder.file("folder.wav"), withIntermediateDirectories: false)
    let run = try await folder.play(
      "missing.wav", "folder.wav", "empty.wav", "text.wav", "good.wav", "-v")
    #expect(run.status == 1)
    let reports = run.errorLines.filter { $0.hasPrefix("syrinx: ") }
    try #require(reports.count == 4)
    // This is the first message, because folders are searched before playback begins.
    #expect(reports[0].contains("folder.wav contains no sound files"))
    #expect(reports[1].contains("missing.wav"))
    #expect(reports[2].contains("empty.wav is empty"))
    #expect(reports[3].contains("text.wav is not a sound file"))
    #expect(run.error.contains("playing good.wav"))
  }

  @Test
  func `a dangling link is reported as a missing file`() async throws {
    try FileManager.default.createSymbolicLink(
      at: folder.file("link.wav"), withDestinationURL: folder.file("nowhere.wav"))
    let run = try await folder.play("link.wav")
    #expect(run.status == 1)
    #expect(run.error.contains("link.wav"))
  }

  @Test
  func `the error for an unreadable file contains its name`() async throws {
    try folder.tone("secret.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell(
      """
      chmod 000 secret.wav; chmod 755 .
      if [ "$(id -u)" = 0 ]; then
        # Root may read everything, and nobody may not look into every build folder.
        cp "$(command -v syrinx)" .
        setpriv --reuid=65534 --clear-groups ./syrinx play secret.wav -d virtual
      else
        syrinx play secret.wav -d virtual
      fi
      """, in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("you do not have permission to open"))
    #expect(run.error.contains("secret.wav"))
  }

  @Test
  func `'play' plays and reports a truncated file`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await folder.play("cut.wav")
    #expect(run.status == 1)
    #expect(
      run.errorLines.contains("syrinx: cut.wav is incomplete: 0.900 s of 1.000 s are missing"))
  }

  @Test
  func `samples that are NaN or infinite are played as silence and counted, without failure`()
    async throws
  {
    try folder.floats("broken.wav", [.nan, .infinity] + .init(repeating: 0.25, count: 1_600))
    let run = try await folder.play("broken.wav")
    #expect(run.status == 0)
    #expect(
      run.errorLines.contains(
        "syrinx: broken.wav: 2 samples are NaN or infinite and are played as silence"))
  }

  @Test(arguments: ["play - -d virtual", "transcribe -", "transcribe cut.wav"])
  func `playing a truncated input has status 1, even from a pipe`(command: String) async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await BuiltCommand.shell("cat cut.wav | syrinx \(command)", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains(" is incomplete: 0.900 s of 1.000 s are missing"))
  }

  @Test
  func `without FFmpeg, the error contains the name of the file that needs it`() async throws {
    try Data("\0\0\0\u{20}ftypM4A \0\0\0\0".utf8).write(to: folder.file("a.m4a"))
    let run = try await BuiltCommand.shell(
      "syrinx=$(command -v syrinx); PATH=/nowhere; $syrinx play a.m4a -d virtual", in: folder)
    #expect(run.status == 1)
    let sentence = "a.m4a is an MPEG-4 file (M4A or MP4), which only FFmpeg reads; install ffmpeg"
    #expect(run.error.contains(sentence), "\(run.error)")
  }

  /// For a damaged MIDI sample dump (`.sds`), libsndfile itself prints messages to standard output.
  @Test
  func `standard output contains only events, even if libraries print`() async throws {
    let head = [0xF0, 0x7E, 0, 1, 0, 0, 16, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0xF7]
    try Data(head.map(UInt8.init) + [UInt8](repeating: 9, count: 4_000)).write(
      to: folder.file("a.sds"))
    let run = try await folder.play("a.sds", "--json")
    #expect(run.status == 1)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(run.output)")
  }

  @Test
  func `an empty standard input is an error`() async throws {
    let run = try await folder.play("-")
    #expect(run.status == 1)
    #expect(run.error.contains("standard input is empty"))
  }

  @Test(arguments: ["nonsense", "hw:CARD=nonsense"])
  func `the error for an unknown device contains its name`(device: String) async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run("play", "a.wav", "-d", device, in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("no playback device \"\(device)\""))
  }

  @Test
  func `without a sound card, 'play' reports one error for all files`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run(
      "play", "a.wav", "a.wav", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("no sound card"))
  }

  @Test
  func `every unplayable file is reported, even if no file is playable`() async throws {
    try Data().write(to: folder.file("empty.wav"))
    let run = try await folder.play("missing.wav", "empty.wav")
    #expect(run.status == 1)
    #expect(run.errorLines.count == 2)
    #expect(run.error.contains("missing.wav") && run.error.contains("empty.wav is empty"))
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.mp3"])
  func `a start after the end of a file is an error that names --start`(file: String) async throws {
    try folder.tone(file, .seconds(2))
    let run = try await folder.play(file, "--start", "5")
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("--start"), "\(run.error)")
    #expect(run.error.contains("2.0"), "\(run.error)")
    #expect(!run.error.contains("holds no audio"))
  }
}
