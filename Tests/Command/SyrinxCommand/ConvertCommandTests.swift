import AudioCore
import Conversion
import FilePaths
import Foundation
import Loudness
import SoundFile
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct ConvertCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `info prints one object per file and continues after a file that it cannot read`()
    async throws
  {
    try folder.tone("a.wav", .seconds(1))
    try Data("some text".utf8).write(to: folder.file("b.wav"))
    try folder.truncatedTone("c.wav", bytes: 16_000)
    let outcome = try await BuiltCommand.run(
      "info", "--json", "b.wav", "a.wav", "c.wav", in: folder)
    try #require(outcome.status == 1 && outcome.outputLines.count == 3)
    #expect(outcome.outputLines[0].contains(#""error":"#))
    #expect(outcome.outputLines[0].contains(#""file":"b.wav""#))
    let second = outcome.outputLines[1]
    #expect(second.contains(#""frames":16000"#) && second.contains(#""file":"a.wav""#))
    #expect(outcome.outputLines[2].contains(#""missing":"#))
    #expect(outcome.errorLines.count == 2 && outcome.error.contains("b.wav"))
  }

  @Test
  func `--tag sets, adds, and removes values, --no-tags drops all, and info shows every value`()
    async throws
  {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=8x8 -frames:v 1 cover.png
      syrinx convert a.wav b.flac --tag TITLE=Lark --tag artist=Ann --tag ARTIST=Bo --cover cover.png &&
      syrinx convert b.flac c.mp3 --tag title= && syrinx info c.mp3 && syrinx info b.flac --json &&
      syrinx convert c.mp3 d.ogg --no-tags && syrinx info d.ogg
      """, in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    let lines = outcome.outputLines.filter { !$0.hasPrefix("{") }
    #expect(lines.filter { $0.hasPrefix("artist") } == ["artist     Ann", "artist     Bo"])
    #expect(!lines.contains { $0.hasPrefix("title") })
    #expect(lines.count { $0.hasPrefix("picture    image/png, ") } == 1, "\(lines)")
    #expect(outcome.output.contains(#""tags":{"artist":["Ann","Bo"],"title":"Lark"}"#))
  }

  @Test func `tags that the output format cannot store are reported`() async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      """
      syrinx convert a.wav b.flac --tag MYTAG=x && syrinx convert b.flac c.au &&
      syrinx convert b.flac - > d.wav
      """, in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.errorLines.count == 2, "\(outcome.error)")
    #expect(outcome.error.contains("c.au: left out: the tags MYTAG; "), "\(outcome.error)")
  }

  @Test(arguments: [
    ("--tag x", "give a tag such as ARTIST=Ann"), ("--tag ä=x", "give a tag such as ARTIST=Ann"),
    ("--cover none.png", "there is no such file"), ("--cover a.wav", "is not PNG, JPEG"),
    ("--cover .", ". is not a regular file"),
  ])
  func `a tag without a name and a cover that is not a picture are rejected`(
    option: String, reason: String
  ) async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell("syrinx convert a.wav b.mp3 \(option)", in: folder)
    #expect(outcome.status != 0 && outcome.error.contains(reason), "\(outcome.error)")
    #expect(try !folder.names.contains("b.mp3"))
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.webm"])
  func `info reports no missing audio for an intact file that FFmpeg decodes`(
    name: String
  ) async throws {
    try folder.tone("a.wav", .seconds(1))
    try Tool.ffmpeg("-i", folder.file("a.wav").path, "-ar", "48000", folder.file(name).path)
    let outcome = try await BuiltCommand.run("info", "--json", name, in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    #expect(outcome.output.contains(#""rate":48000"#))
    #expect(!outcome.output.contains(#""missing":"#), "\(outcome.output)")
  }

  @Test(arguments: [("16", "int16"), ("24", "int24"), ("float", "float32")])
  func `the JSON of convert, info, and measure uses the same keys for the same properties`(
    bits: String, sampleFormat: String
  ) async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      """
      syrinx convert a.wav b.wav --bits \(bits) --json && syrinx info b.wav --json &&
      syrinx measure b.wav --json
      """, in: folder)
    struct Line: Decodable {
      let rate, channelCount, frames: Int
      let length: Double
      let bits: Int?
      let sampleFormat, format: String?
    }
    let lines = try outcome.outputLines.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(lines.count == 3, "\(outcome.error)")
    #expect(lines.allSatisfy { $0.rate == 16_000 && $0.channelCount == 1 })
    #expect(lines.allSatisfy { $0.frames == 16_000 && $0.length == 1 })
    #expect(lines.map(\.bits) == [Int(bits) ?? 32, Int(bits) ?? 32, nil])
    #expect(lines.first?.sampleFormat == sampleFormat && lines.first?.format == "wav")
  }

  @Test func `convert takes standard input and writes standard output`() async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      "syrinx convert - - < a.wav | syrinx convert - b.flac", in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(try folder.samples("b.flac") == folder.samples("a.wav"))
  }

  @Test(arguments: ["au", "flac", "ogg", "opus", "mp3"])
  func `convert streams a compressed or AU file to standard output, and FFmpeg and Syrinx read it`(
    name: String
  ) async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.shell(
      "syrinx convert a.wav - --to \(name) | cat > out.\(name); exit ${PIPESTATUS[0]}", in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    let (expected, found) = (try folder.samples("a.wav"), try folder.samples("out.\(name)"))
    let path = folder.file("out.\(name)").path
    let peer = try Tool.ffmpeg("-i", path, "-ar", "16000", "-f", "f32le", "-").floats
    if ["au", "flac"].contains(name) {
      #expect(found == expected && peer == expected)
    } else {
      // The stream has no length, so decoders return the encoder's padding as audio.
      #expect((15_900..<20_000).contains(found.count), "\(found.count)")
      #expect((15_900..<20_000).contains(peer.count), "\(peer.count)")
    }
  }

  @Test func `convert writes encoded audio to standard output before its input ends`() async throws
  {
    try folder.noise(
      "a.wav", .seconds(20), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let outcome = try await BuiltCommand.shell(
      """
      mkfifo in out
      syrinx convert - - --to flac < in > out & command=$!
      exec 3> in 4< out
      head -c 2000000 a.wav >&3 & feeder=$!
      head -c 500000 <&4 > out.flac
      cat <&4 >> out.flac 3>&- & reader=$!
      wait $feeder; tail -c +2000001 a.wav >&3
      exec 3>&-; wait $reader; wait $command
      """, in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    let isEqual = try folder.samples("out.flac") == folder.samples("a.wav")
    #expect(isEqual)
  }

  @Test(arguments: ["aiff", "caf"])
  func `convert refuses standard output for a format whose header must contain the length`(
    name: String
  ) async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let outcome = try await BuiltCommand.shell(
      "syrinx convert a.wav - --to \(name) | wc -c; exit ${PIPESTATUS[0]}", in: folder)
    #expect(outcome.status == 64 && outcome.output == "0\n")
    #expect(outcome.error.contains("takes wav, au, flac, ogg, opus, or mp3"), "\(outcome.error)")
    let raw = try await BuiltCommand.shell(
      "syrinx convert a.wav - --to flac --raw | wc -c; exit ${PIPESTATUS[0]}", in: folder)
    #expect(raw.status == 64 && raw.output == "0\n")
  }

  @Test func `each failed file causes one message, and the other files are converted`() async throws
  {
    try folder.tone("a.wav", .seconds(1))
    try Data("some text".utf8).write(to: folder.file("b.wav"))
    try folder.tone("c.wav", .seconds(1))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "c.wav", "--to", "flac", in: folder)
    #expect(outcome.status == 1 && outcome.errorLines.count == 1)
    #expect(try folder.samples("c.flac") == folder.samples("a.wav"))
    #expect(try !folder.names.contains("b.flac"))
  }

  @Test(arguments: ["nowhere.wav", "a.wav b.wav"])
  func `with JSON, each conversion that fails is an object with its inputs and the error`(
    inputs: String
  ) async throws {
    try folder.tone("a.wav", .milliseconds(100))
    try Data("some text".utf8).write(to: folder.file("b.wav"))
    let outcome = try await BuiltCommand.shell(
      "syrinx convert \(inputs) --to flac --json", in: folder)
    let failed = try #require(inputs.split(separator: " ").last)
    #expect(outcome.status == 1 && outcome.errorLines.count == 1)
    let line = try #require(outcome.outputLines.last)
    #expect(outcome.outputLines.count == inputs.split(separator: " ").count)
    #expect(line.hasPrefix(#"{"error":""#) && line.contains(#""inputs":["\#(failed)"]"#))
  }

  @Test func `a mix has the highest rate and most channels of its inputs, and reports both`()
    async throws
  {
    let stereo = AudioFormat(sampleRate: 44_100, channelCount: 2)
    try folder.noise("a.wav", .milliseconds(100), format: .speech)
    try folder.noise("b.wav", .milliseconds(100), format: stereo)
    try folder.noise(
      "c.wav", .milliseconds(100), format: AudioFormat(sampleRate: 48_000, channelCount: 1))
    let run = try await BuiltCommand.shell(
      "syrinx convert a.wav b.wav c.wav -o m.wav --mix --json", in: folder)
    #expect(run.status == 0 && run.output.contains(#""rate":48000"#), "\(run.error)")
    #expect(run.output.contains(#""channelCount":2"#))
    #expect(run.error.contains("the mix has 48000 Hz and 2 channels"), "\(run.error)")
    let same = try await BuiltCommand.shell(
      "syrinx convert b.wav b.wav -o s.wav --mix && syrinx convert a.wav b.wav -o t.wav --mix "
        + "--rate 8000 --channels 1", in: folder)
    #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
  }

  @Test func `a full disk causes one message and status 1`() async throws {
    try folder.noise("a.wav", .seconds(5), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    try FileManager.default.createSymbolicLink(
      at: folder.file("full.wav"), withDestinationURL: URL(filePath: "/dev/full"))
    let outcome = try await BuiltCommand.run("convert", "a.wav", "full.wav", in: folder)
    #expect(outcome.status == 1 && outcome.errorLines.count == 1)
    #expect(outcome.error.contains("no space is left"))
  }

  @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3"])
  func `a closed pipe ends convert quietly with status 141`(name: String) async throws {
    try folder.noise(
      "a.wav", .seconds(20), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let outcome = try await BuiltCommand.shell(
      "syrinx convert a.wav - --to \(name) | head -c 100 > /dev/null; echo ${PIPESTATUS[0]}",
      in: folder)
    #expect(outcome.output == "141\n" && outcome.error.isEmpty)
  }

  @Test func `the error for a rate that the format lacks contains the possible rates`() async throws
  {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.opus", "--rate", "44100", in: folder)
    #expect(outcome.status == 1 && outcome.error.contains("48000"))
    #expect(try folder.names.contains("b.opus") == false)
  }

  @Test
  func `64 channels without positions become stereo: even channels left, odd channels right`()
    async throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 64)
    let frame = (0..<64).map { Float($0) / 128 }
    let writer = try SoundFileWriter(url: folder.file("a.wav"), format: format, encoding: .wavFloat)
    try writer.write(
      AudioBuffer(format: format, samples: Array(repeating: frame, count: 800).flatMap { $0 }))
    try writer.close()
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--channels", "2", in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    let samples = try folder.samples("b.wav")
    #expect(samples.count == 1_600)
    // The first sample of a frame is the mean of the even channels, and the second sample is the
    // mean of the odd channels.
    for (index, sample) in samples.enumerated() {
      #expect(abs(sample - (index % 2 == 0 ? 31.0 : 32) / 128) < 1e-5)
    }
  }

  @Test func `the error for a missing output folder contains its name`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let outcome = try await BuiltCommand.run("convert", "a.wav", "none/b.wav", in: folder)
    #expect(outcome.status == 1 && outcome.errorLines.count == 1)
    #expect(outcome.error.contains("none does not exist; create it first"), "\(outcome.error)")
  }

  @Test func `--start and --end select a part of the audio`() async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--start", "250ms", "--end", "0.5", in: folder)
    #expect(outcome.status == 0)
    #expect(try folder.samples("b.wav") == Array(folder.samples("a.wav")[4_000..<8_000]))
  }

  @Test func `--gain amplifies, and fades begin and end with silence`() async throws {
    try folder.floats("a.wav", Array(repeating: 0.25, count: 16_000))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--gain", "12", "--fade-in", "100ms", "--fade-out", "200ms",
      in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    let samples = try folder.samples("b.wav")
    let level = 0.25 * Float(Decibels(12).amplitude)
    try #require(samples.count == 16_000)
    #expect(samples[0] == 0 && samples[15_999] == 0)
    for (index, part) in [(800, 0.5), (8_000, 1), (14_399, 0.5)] as [(Int, Float)] {
      #expect(abs(samples[index] - level * part) < 1e-3)
    }
  }

  @Test func `--rate does not change the duration`() async throws {
    try folder.tone("a.wav", .seconds(1))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--rate", "8000", in: folder)
    #expect(outcome.status == 0)
    let reader = try SoundFileReader(url: folder.file("b.wav"))
    #expect(reader.format.sampleRate == 8_000 && reader.announcedFrameCount == 8_000)
  }

  @Test func `--split-at-silence writes a file for each sound`() async throws {
    let sound: [Float] = (0..<8_000).map { $0.isMultiple(of: 2) ? 0.5 : -0.5 }
    try folder.floats("a.wav", sound + Array(repeating: 0, count: 32_000) + sound)
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--split-at-silence", in: folder)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(try folder.names.filter { $0.hasPrefix("b") } == ["b-001.wav", "b-002.wav"])
    for name in ["b-001.wav", "b-002.wav"] {
      let samples = try folder.samples(name)
      #expect(samples.count { abs($0) == 0.5 } == 8_000 && samples.count < 40_000)
    }
  }

  @Test func `a failed conversion of a file onto itself leaves the file unchanged`() async throws {
    try folder.noise("a.flac", .seconds(3), format: .speech)
    var bytes = try Data(contentsOf: folder.file("a.flac"))
    for index in bytes.count / 2..<bytes.count / 2 + 64 { bytes[index] ^= 0x5A }
    try bytes.write(to: folder.file("a.flac"))
    let outcome = try await BuiltCommand.run(
      "convert", "a.flac", "a.flac", "--gain", "-3", in: folder)
    #expect(outcome.status == 1 && outcome.error.contains("a.flac"))
    #expect(try Data(contentsOf: folder.file("a.flac")) == bytes)
  }

  @Test func `converting a truncated file onto itself leaves it unchanged and reports a remedy`()
    async throws
  {
    try folder.truncatedTone("a.wav", bytes: 16_000)
    let before = try Data(contentsOf: folder.file("a.wav"))
    let inPlace = try await BuiltCommand.run(
      "convert", "a.wav", "a.wav", "--gain", "-3", in: folder)
    #expect(inPlace.status == 1 && inPlace.errorLines.count == 1)
    #expect(inPlace.error.contains("a.wav is incomplete: "))
    #expect(inPlace.error.contains("choose another name for the output"), "\(inPlace.error)")
    #expect(try Data(contentsOf: folder.file("a.wav")) == before)
    let elsewhere = try await BuiltCommand.run("convert", "a.wav", "b.wav", in: folder)
    #expect(elsewhere.status == 1 && elsewhere.error.contains("a.wav is incomplete: "))
    #expect(try folder.samples("b.wav") == folder.samples("a.wav"))
  }

  @Test(arguments: ["talk.wav", "talk.mp3"])
  func `if trimming leaves no audio, the existing output is unchanged`(
    output: String
  ) async throws {
    let path = folder.file("talk.wav").path
    try Tool.sox(
      "-n", "-r", "16000", "-b", "16", "-c", "1", path, "synth", "1", "sine", "300", "vol", "0.002")
    if output != "talk.wav" { try Data("an earlier file".utf8).write(to: folder.file(output)) }
    let before = try Data(contentsOf: folder.file(output))
    let outcome = try await BuiltCommand.run(
      "convert", "talk.wav", output, "--trim-silence", in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("the input is silent, so no file was written"))
    let isUntouched = try Data(contentsOf: folder.file(output)) == before
    #expect(isUntouched)
  }

  @Test func `convert refuses --silence without an option that detects silence`() async throws {
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--silence", "-40", in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.error.contains("--silence requires --trim-silence or --split-at-silence"))
  }

  @Test func `a fade of more than 600 seconds is refused`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let outcome = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--fade-out", "11m", in: folder)
    #expect(outcome.status == 64 && outcome.error.contains("at most 600 seconds"))
  }

  @Test func `several inputs do not overwrite an existing file unless --to names it`()
    async throws
  {
    for name in ["a.wav", "b.wav", "c.wav"] { try folder.tone(name, .milliseconds(100)) }
    let before = try Data(contentsOf: folder.file("c.wav"))
    let refused = try await BuiltCommand.shell("syrinx convert *.wav", in: folder)
    #expect(refused.status == 64 && refused.error.contains("c.wav exists"), "\(refused.error)")
    #expect(try Data(contentsOf: folder.file("c.wav")) == before)
    let named = try await BuiltCommand.run("convert", "a.wav", "b.wav", "-o", "c.wav", in: folder)
    #expect(named.status == 0)
    #expect(try folder.samples("c.wav") == folder.samples("a.wav") + folder.samples("b.wav"))
  }

  @Test func `a batch may overwrite the outputs of an earlier batch, or its own inputs`()
    async throws
  {
    for name in ["a.wav", "b.wav"] { try folder.tone(name, .milliseconds(100)) }
    for name in ["a.flac", "b.flac"] { try Data("old".utf8).write(to: folder.file(name)) }
    let run = try await BuiltCommand.run("convert", "a.wav", "b.wav", "--to", "flac", in: folder)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    let isConverted = try folder.samples("b.flac") == folder.samples("b.wav")
    #expect(isConverted)
    let inPlace = try await BuiltCommand.run(
      "convert", "a.wav", "b.wav", "--output-dir", ".", "--end", "50ms", in: folder)
    #expect(inPlace.status == 0 && inPlace.error.isEmpty, "\(inPlace.error)")
    #expect(try folder.samples("a.wav").count == 800)
  }

  @Test(arguments: [
    "a.wav ./a.wav --to flac", "sub/a.wav link/a.wav --output-dir out",
    "a.wav sub/a.wav --output-dir link", "a-001.wav a.wav --output-dir . --every 10ms",
  ])
  func `a conversion is refused if two inputs would share an output or overwrite each other`(
    arguments: String
  ) async throws {
    try FileManager.default.createDirectory(
      at: folder.file("sub"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("sub"))
    for name in ["a.wav", "a-001.wav", "sub/a.wav"] { try folder.tone(name, .milliseconds(100)) }
    let run = try await BuiltCommand.shell("syrinx convert \(arguments)", in: folder)
    #expect(run.status == 64 && run.errorLines.count > 0, "\(run.error)")
    #expect(try folder.samples("a-001.wav").count == 1_600)
  }

  @Test func `the name of the whole file is derived from the name of a numbered part`() {
    #expect(FilePath("a/talk-007.wav").wholeOfPart == "a/talk.wav")
    #expect(FilePath("talk-07.wav").wholeOfPart == nil && FilePath("talk.wav").wholeOfPart == nil)
  }

  @Test func `parts are numbered before the extension or in place of a placeholder`() {
    #expect(FilePath("talk.wav").numbered(7) == "talk-007.wav")
    #expect(FilePath("a/talk-%02d.wav").numbered(7) == "a/talk-07.wav")
  }

  @Test(arguments: [
    ("90", 90.0), ("1:30", 90), ("1:00:00.5", 3_600.5), ("500ms", 0.5), ("10m", 600), ("2h", 7_200),
  ])
  func `times are accepted in all documented forms`(text: String, seconds: Double) throws {
    #expect(try TimeValue(value: text).duration == .seconds(seconds))
  }

  @Test func `convert reports the actual loudness and the target if limiting misses the target`()
    async throws
  {
    try folder.noise("a.wav", .seconds(2), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let run = try await BuiltCommand.shell(
      "syrinx convert a.wav b.wav --normalize 0LUFS --json", in: folder)
    #expect(run.status == 0 && run.errorLines.count == 1, "\(run.error)")
    #expect(run.error.hasPrefix("syrinx: b.wav: limited by up to "), "\(run.error)")
    #expect(run.error.contains(" dB to keep peaks at -1 dBTP; the loudness is -"), "\(run.error)")
    #expect(run.error.hasSuffix(" LUFS, not 0.0 LUFS\n"), "\(run.error)")
    #expect(run.output.contains(#""limited":"#) && run.output.contains(#""loudness":-"#))
    let quiet = try await BuiltCommand.shell(
      "syrinx convert a.wav c.wav --normalize -40LUFS --json", in: folder)
    #expect(quiet.status == 0 && quiet.error.isEmpty, "\(quiet.error)")
    #expect(quiet.output.contains(#""limited":0,"#) && !quiet.output.contains(#""loudness""#))
  }

  @Test func `the argument of --normalize is a peak or a loudness`() {
    let target = { try? AudioConversion.Normalization(argument: $0) }
    #expect(target("-1") == .peak(Decibels(-1)))
    #expect(target("-3dBFS") == .peak(Decibels(-3)))
    #expect(target("-16LUFS") == .loudness(LoudnessLevel(lufs: -16)))
    #expect(target("-16dB") == .peak(Decibels(-16)))
    for text in ["1", "LUFS", "nan", "-16 LU", "-201", "-16"] { #expect(target(text) == nil) }
  }

  @Test func `the error for an ambiguous normalization level suggests both units`()
    async throws
  {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell("syrinx convert a.wav b.wav --normalize -16", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains("-16LUFS or -16dBFS"), "\(run.error)")
  }

  @Test(arguments: ["8761h", "31536001", "9000:00:00"])
  func `the error for a time of more than a year contains the limit`(text: String) async throws {
    for command in ["play a.wav", "convert a.wav b.wav"] {
      let run = try await BuiltCommand.shell("syrinx \(command) --fade-in \(text)", in: folder)
      #expect(run.status == 64)
      #expect(run.error.contains("\(text) is longer than a year; give at most 8760h"), "\(run)")
    }
  }

  @Test(arguments: ["", "x", "1:60", "-1", "1:2m", "nan", "1e99"])
  func `invalid times are rejected`(text: String) {
    #expect(throws: (any Error).self) { try TimeValue(value: text) }
  }
}
