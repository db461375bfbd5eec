import ArgumentParser
import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct InfoCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `--verify decodes whole files and fails if a FLAC checksum is wrong`() async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      """
      syrinx convert a.wav a.flac --quiet && cp a.flac b.flac &&
      printf '\\1\\2\\3' | dd of=b.flac bs=1 seek=26 conv=notrunc status=none
      syrinx info --verify a.flac && cat a.wav | syrinx info --verify - || exit 3
      syrinx info b.flac >/dev/null || exit 4
      syrinx info --verify --json b.flac
      """, in: folder)
    #expect(outcome.status == 1)
    let problem = "the audio differs from the MD5 sum in its header; the file may be damaged"
    #expect(outcome.errorLines == ["syrinx: b.flac: \(problem)"])
    #expect(outcome.output.contains("\"notices\":[\"\(problem)\"]"), "\(outcome.output)")
  }

  @Test(arguments: ["--jobs 1", "--jobs 2", "--jobs 2 --json"])
  func `small files, which share a thread, are described in order, and every problem is reported`(
    options: String
  ) async throws {
    try folder.tone("tone.wav", .milliseconds(10))
    try folder.truncatedTone("cut.wav", bytes: 16_000)
    try Data("some text".utf8).write(to: folder.file("text.wav"))
    let outcome = try await BuiltCommand.shell(
      """
      for i in {100..299}; do
        case $i in *3) file=cut;; *7) file=text;; *) file=tone;; esac
        ln $file.wav $i.wav
      done
      exec 2>&1; syrinx info \(options) [0-9]*.wav
      """, in: folder)
    #expect(outcome.status == 1)
    let shown = outcome.output.matches(of: #/(?m)^(file |\{|syrinx: ).*?(\d{3})\.wav/#)
    let expected = (100...299).flatMap { number in
      switch number % 10 {
      case 3: ["\(number)", "syrinx: \(number)"]
      case 7: (options.contains("--json") ? ["\(number)"] : []) + ["syrinx: \(number)"]
      default: ["\(number)"]
      }
    }
    #expect(
      shown.map { ($0.output.1 == "syrinx: " ? "syrinx: " : "") + $0.output.2 } == expected)
  }

  @Test func `a line break in a tag does not begin another line`() async throws {
    let url = folder.file("tagged.flac")
    let writer = try SoundFileWriter(
      url: url, format: .speech, encoding: .flac16,
      metadata: AudioMetadata(tags: [.title: ["one\nlength     9:99:99\u{1B}[2J"]]))
    try writer.close()
    let run = try await BuiltCommand.shell("syrinx info tagged.flac", in: folder)
    let title = #"title      one\nlength     9:99:99\x1B[2J"#
    #expect(run.outputLines.contains(title), "\(run.output)")
    #expect(run.outputLines.count { $0.hasPrefix("length ") } == 1, "\(run.output)")
  }

  @Test func `control characters in the name of a tag are shown as text`() async throws {
    let url = folder.file("plain.flac")
    let writer = try SoundFileWriter(
      url: url, format: .speech, encoding: .flac16,
      metadata: AudioMetadata(tags: [AudioTag("MOODxxx"): ["calm"]]))
    try writer.close()
    var data = try Data(contentsOf: url)
    let place = try #require(data.range(of: Data("MOODXXX".utf8)))
    data.replaceSubrange(place, with: Data("MO\u{1B}[2J\n".utf8))
    try data.write(to: folder.file("named.flac"))
    let run = try await BuiltCommand.shell("syrinx info named.flac", in: folder)
    #expect(run.outputLines.contains { $0.hasPrefix(#"MO\x1B[2J\n calm"#) }, "\(run.output)")
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test func `if a format has only one encoding, info prints the name once`() async throws {
    let outcome = try await BuiltCommand.shell(
      "sox -n -r 44100 tone.mp3 synth 0.1 sine && syrinx info tone.mp3", in: folder)
    #expect(outcome.outputLines.contains("format     MPEG audio"))
  }

  /// Creates `a.m4a`, and a folder of programs with `ffmpeg` and the script `ffprobe`.
  private func makePrograms(ffprobe: String? = nil) async throws {
    try Tool.ffmpeg("-f", "lavfi", "-i", "sine=440:duration=2", folder.file("a.m4a").path)
    let made = try await BuiltCommand.shell(
      "mkdir bin; ln -s $(command -v ffmpeg) $(command -v syrinx) bin", in: folder)
    #expect(made.status == 0, "\(made.error)")
    guard let ffprobe else { return }
    let script = folder.file("bin/ffprobe")
    try Data("#!/bin/sh\n\(ffprobe)\n".utf8).write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
  }

  @Test func `info prints the encoding and length of M4A, also as JSON`() async throws {
    try await makePrograms()
    let text = try await BuiltCommand.run("info", "a.m4a", in: folder)
    #expect(text.status == 0 && text.error.isEmpty)
    #expect(
      text.outputLines.contains("format     QuickTime / MOV, AAC (Advanced Audio Coding)"))
    #expect(text.outputLines.contains("length     0:02.0"))
    #expect(text.output.contains(" kbit/s"))
    let json = try await BuiltCommand.run("info", "a.m4a", "--json", in: folder)
    #expect(json.output.contains(#""encoding":"AAC (Advanced Audio Coding)""#))
    #expect(json.output.contains(#""length":2,"#) && !json.output.contains(#""frames""#))
  }

  @Test(arguments: [nil, "exec /usr/bin/yes", "echo nonsense"])
  func `without a usable report of ffprobe, info prints that the length is unknown`(
    ffprobe: String?
  ) async throws {
    try await makePrograms(ffprobe: ffprobe)
    let run = try await BuiltCommand.shell("PATH=$PWD/bin; syrinx info a.m4a", in: folder)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    #expect(run.outputLines.contains("format     an MPEG-4 file (M4A or MP4)"))
    #expect(run.outputLines.contains("length     unknown"))
  }

  @Test func `info reports a failure of ffprobe`() async throws {
    try await makePrograms(ffprobe: "echo '/dev/stdin: a bad day' >&2; exit 1")
    let run = try await BuiltCommand.shell("PATH=$PWD/bin; syrinx info a.m4a", in: folder)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.error.hasSuffix("a.m4a: ffprobe reports: a bad day\n"), "\(run.error)")
  }

  @Test func `a signal ends info and its ffprobe`() async throws {
    try await makePrograms(ffprobe: "echo $$ > started; exec /bin/sleep 600")
    let run = try await BuiltCommand.shell(
      """
      mkfifo started
      PATH=$PWD/bin syrinx info a.m4a &
      read child < started
      kill -TERM $!
      wait $!; echo $?
      kill -0 $child 2>/dev/null || echo gone
      """, in: folder)
    #expect(run.output == "143\ngone\n", "\(run.error)")
  }

  @Test func `info reports that a video has no audio track`() async throws {
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "testsrc=duration=1", "-c:v", "mpeg4", folder.file("a.mp4").path)
    let run = try await BuiltCommand.run("info", "a.mp4", in: folder)
    #expect(run.status == 1)
    #expect(run.error.hasSuffix("an MPEG-4 file (M4A or MP4) and has no audio track\n"))
  }

  @Test func `info reports missing audio once, and marks an estimated length`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 16_000)
    let wav = try await BuiltCommand.run("info", "cut.wav", in: folder)
    #expect(wav.status == 1 && wav.errorLines.count == 1)
    #expect(wav.error.contains(" are missing") && !wav.error.contains("about"))
    #expect(!wav.output.contains("missing") && !wav.output.contains("about"), "\(wav.output)")
    try folder.noise("whole.flac", .seconds(3), format: .speech)
    let bytes = try Data(contentsOf: folder.file("whole.flac"))
    try bytes.prefix(bytes.count / 2).write(to: folder.file("cut.flac"))
    let flac = try await BuiltCommand.run("info", "cut.flac", in: folder)
    #expect(flac.status == 1 && flac.errorLines.count == 1)
    #expect(flac.error.contains("cut.flac is incomplete: about "), "\(flac.error)")
    #expect(flac.outputLines.contains { $0.hasPrefix("length     about ") }, "\(flac.output)")
    #expect(!flac.output.contains("missing"))
  }

  @Test(arguments: ["wav", "aiff", "au", "caf", "flac", "ogg", "opus", "mp3"])
  func `convert, info, and measure accept a file without frames`(
    name: String
  ) async throws {
    let writer = try SoundFileWriter(
      url: folder.file("none.wav"), format: .speech, encoding: .wav16)
    try writer.close()
    let converted = try await BuiltCommand.run("convert", "none.wav", "out.\(name)", in: folder)
    #expect(converted.status == 0 && converted.error.isEmpty, "\(converted.error)")
    let described = try await BuiltCommand.run("info", "out.\(name)", in: folder)
    #expect(described.status == 0 && described.error.isEmpty, "\(described.error)")
    // An Opus or MP3 file without audio is written with one frame of silence.
    let count = ["opus", "mp3"].contains(name) ? 1 : 0
    #expect(
      described.outputLines.contains("length     0:00.0 (\(count == 1 ? "1 frame" : "0 frames"))"))
    guard count == 0 else { return }
    let measured = try await BuiltCommand.run("measure", "out.\(name)", in: folder)
    #expect(measured.status == 1 && measured.errorLines.count == 1)
    #expect(measured.error.contains("holds no audio: there is nothing to measure"))
  }

  @Test func `a pipe among many files does not delay another pipe`() async throws {
    try folder.tone("tone.wav", .milliseconds(10))
    let outcome = try await BuiltCommand.shell(
      """
      for i in {100..299}; do ln tone.wav $i.wav; done
      mkfifo first second
      (cat tone.wav > second; cat tone.wav > first) &
      syrinx info --jobs 2 first second [0-9]*.wav
      """, in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.output.matches(of: #/(?m)^file /#).count == 202)
  }

  @Test func `the error for a host that is not ASCII contains the remedy`() {
    let error = #expect(throws: (any Error).self) {
      try RootCommand.parsed(["info", "http://b\u{FC}cher.invalid/a.wav"])
    }
    #expect(error.map { RootCommand.message(for: $0) }?.contains("write it in Punycode") == true)
  }
}
