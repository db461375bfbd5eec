import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct PlayCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `'play' plays a file in real time and prints nothing`() async throws {
    try folder.tone("a.wav", .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    let run = try await folder.play("a.wav")
    #expect(run.status == 0)
    #expect(run.output.isEmpty && run.error.isEmpty)
    #expect(clock.now - start >= .milliseconds(300))
  }

  @Test
  func `--verbose logs the settings of the device`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await folder.play("a.wav", "--verbose")
    let line = run.errorLines.first { $0.contains("playing a.wav on virtual") }
    #expect(line?.contains("float32, ") == true, "\(run.error)")
    #expect(line?.contains(" frames a period, ") == true)
  }

  @Test
  func `'play -' plays a pipe`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await BuiltCommand.shell("cat a.wav | syrinx play - -d virtual -v", in: folder)
    #expect(run.status == 0)
    #expect(run.error.contains("16000 Hz, mono"))
  }

  @Test
  func `--raw plays samples without a header`() async throws {
    try Data(count: 3 * 2 * 1_600).write(to: folder.file("a.raw"))
    let run = try await BuiltCommand.shell(
      "syrinx play - --raw s24 --raw-rate 16000 -d virtual -v < a.raw", in: folder)
    #expect(run.status == 0)
    #expect(run.error.contains("16000 Hz, stereo"))
  }

  @Test
  func `--loop repeats a file in real time`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try await folder.play("a.wav", "--loop", "3").status == 0)
    #expect(clock.now - start >= .milliseconds(300))
  }

  @Test
  func `--repeat repeats the list, with an event for each file`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    try folder.tone("b.wav", .milliseconds(100))
    let run = try await folder.play("a.wav", "b.wav", "--repeat", "2", "--json")
    #expect(run.status == 0)
    let advanced = run.outputLines.filter { $0.contains("\"advanced\"") }
    #expect(advanced.count == 3)
    #expect(run.outputLines.last?.contains("0.4") == true)
  }

  @Test
  func `each file has its own finished event, even if it cannot be played`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    try Data("no audio".utf8).write(to: folder.file("b.wav"))
    try folder.tone("c.wav", .milliseconds(100))
    for (files, ends) in [
      (["a.wav", "b.wav", "c.wav"], ["b.wav failed", "a.wav completed", "c.wav completed"]),
      (["b.wav", "missing.wav"], ["b.wav failed", "missing.wav failed"]),
    ] {
      let run = try await BuiltCommand.shell(
        "syrinx play \(files.joined(separator: " ")) -d virtual --json", in: folder)
      #expect(run.status == 1)
      let found = run.outputLines.filter { $0.contains(#""event":"finished""#) }.map { line in
        let file = line.firstMatch(of: /"file":"([^"]+)"/)?.1 ?? ""
        return "\(file) \(line.firstMatch(of: /"reason":"([a-z]+)"/)?.1 ?? "")"
      }
      #expect(found.sorted() == ends.sorted(), "\(run.output)")
      #expect(run.outputLines.last?.contains(#""event":"finished""#) == true)
    }
  }

  @Test
  func `--start and --end select a part of each file`() async throws {
    try folder.tone("a.wav", .seconds(5))
    try folder.tone("b.flac", .seconds(5))
    let run = try await folder.play(
      "a.wav", "b.flac", "--start", "4.8", "--end", "4.95", "--fade-in", "0.05", "--fade-out",
      "0.05", "--json")
    #expect(run.status == 0)
    let last = try #require(run.outputLines.last)
    #expect(
      last
        == #"{"event":"finished","file":"b.flac","item":1,"played":0.3,"reason":"completed"}"#)
    let advanced = run.outputLines.filter { $0.contains(#""event":"advanced""#) }
    #expect(
      advanced == [
        #"{"event":"advanced","file":"b.flac","frame":76800,"item":1,"length":5,"played":0.15,"position":4.8}"#
      ])
  }

  @Test
  func `--rate, --channels, and --low-latency determine how the device is opened`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    func started(_ options: String...) async throws -> (frames: Int, text: String) {
      let run = try await BuiltCommand.shell(
        "syrinx play a.wav -d virtual --json \(options.joined(separator: " "))", in: folder)
      #expect(run.status == 0, "\(run.error)")
      let line = try #require(run.outputLines.first { $0.contains("\"started\"") })
      let buffer = try #require(line.firstMatch(of: /"buffer":(\d+)/)).1
      return (try #require(Int(buffer)), line)
    }
    let usual = try await started("--rate 48000")
    let low = try await started("--rate 48000", "--low-latency")
    #expect(usual.frames >= 4_800 && low.frames <= 960)
    #expect(usual.text.contains(#""channelCount":2"#) && usual.text.contains(#""rate":48000"#))
    let odd = try await started("--rate 22050", "--channels 1")
    #expect(odd.text.contains(#""channelCount":1"#) && odd.text.contains(#""rate":22050"#))
  }

  @Test
  func `the progress interval is longest without displayed progress, controls, and streams`()
    throws
  {
    func interval(
      _ options: String..., hasStream: Bool = false, hasKeys: Bool = false, isWatched: Bool = false
    ) throws -> Duration? {
      let command = try RootCommand.parsed(["play", "a.wav"] + options) as? PlayCommand
      return command?.progressInterval(
        hasStream: hasStream, hasKeys: hasKeys, isWatched: isWatched)
    }
    #expect(try interval() == .seconds(2))
    #expect(try interval(hasStream: true) == .milliseconds(500))
    #expect(try interval(hasKeys: true) == .milliseconds(500))
    #expect(try interval("--control") == .milliseconds(500))
    #expect(try interval("--json", hasStream: true) == .milliseconds(50))
    #expect(try interval(isWatched: true) == .milliseconds(50))
  }

  @Test
  func `'play' plays folders and playlists`() async throws {
    try FileManager.default.createDirectory(
      at: folder.file("album"), withIntermediateDirectories: true)
    try folder.tone("album/10.wav", .milliseconds(50))
    try folder.tone("album/9.wav", .milliseconds(50))
    try Data("album/10.wav\n".utf8).write(to: folder.file("list.m3u"))
    let run = try await folder.play("album", "list.m3u", "--json")
    #expect(run.status == 0, "\(run.error)")
    let files = run.outputLines.filter { $0.contains(#""event":"finished""#) }
      .compactMap { $0.firstMatch(of: /"file":"([^"]+)"/)?.1 }
    #expect(files == ["album/9.wav", "album/10.wav", "album/10.wav"])
  }

  @Test
  func `a folder without sound files is an error, and the other files are played`() async throws {
    try FileManager.default.createDirectory(
      at: folder.file("empty"), withIntermediateDirectories: true)
    try folder.tone("a.wav", .milliseconds(50))
    let run = try await folder.play("empty", "a.wav", "--json")
    #expect(run.status == 1)
    #expect(run.error == "syrinx: empty contains no sound files\n")
    #expect(run.outputLines.first == #"{"error":"empty contains no sound files"}"#)
    #expect(run.output.contains(#""reason":"completed""#))
  }

  @Test
  func `--shuffle plays every file once`() async throws {
    for index in 1...8 { try folder.tone("\(index).wav", .milliseconds(20)) }
    let run = try await folder.play(".", "--shuffle", "--json")
    #expect(run.status == 0, "\(run.error)")
    let files = run.outputLines.filter { $0.contains(#""event":"finished""#) }
      .compactMap { $0.firstMatch(of: /"file":"([^"]+)"/).map { String($0.1) } }
    #expect(files.count == 8 && Set(files).count == 8)
  }

  @Test
  func `a volume above 1 amplifies, and the limiter prevents clipping`() async throws {
    try folder.tone("a.wav", .milliseconds(300))
    let run = try await folder.play("a.wav", "--volume", "4")
    #expect(run.status == 0)
    // A tone at −6 dBFS, amplified by 12 dB, exceeds full scale by 6 dB.
    #expect(run.error.contains("exceeded full scale and was limited by up to 6.0 dB"))
  }

  @Test(arguments: [("track", "6.0 dB"), ("album", "12.0 dB")])
  func `--replay-gain applies the gain of the tags`(scope: String, reduction: String) async throws {
    try folder.tone("plain.wav", .milliseconds(300))
    let tagged = try await BuiltCommand.shell(
      """
      syrinx convert plain.wav a.flac --tag 'REPLAYGAIN_TRACK_GAIN=12 dB' \
        --tag 'REPLAYGAIN_ALBUM_GAIN=18 dB'
      """, in: folder)
    #expect(tagged.status == 0, "\(tagged.error)")
    let plain = try await folder.play("a.flac")
    #expect(plain.status == 0 && !plain.error.contains("full scale"))
    // A tone at −6 dBFS with this gain exceeds full scale.
    let run = try await folder.play("a.flac", "--replay-gain", scope)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("exceeded full scale and was limited by up to \(reduction)"))
  }

  @Test(arguments: [
    (["--volume", "10.5"], "--volume 10.5"), (["--volume=-0.1"], "--volume -0.1"),
    (["--volume", "nan"], "--volume nan"), (["--loop", "0"], "'0'"),
    (["--loop=-1"], "'-1'"), (["--loop", "often"], "'often'"),
    (["--device", "virtual:a.wav"], "--device virtual:a.wav"), (["--device", ""], "--device"),
    (["--loop", "forever", "--repeat", "2"], "--loop forever"), (["--repeat", "0"], "'0'"),
    (["-", "--repeat", "2"], "--repeat"), (["-", "--loop", "2"], "--loop"),
    (["-", "-"], "standard input"), (["--nonsense"], "--nonsense"),
    (["--start=-1"], "'-1' is invalid for '--start <time>'"),
    (["--start", "2", "--end", "1.5"], "--end 1.5"),
    (["--fade-in", "nan"], "'nan' is invalid for '--fade-in <time>'"),
    (["--fade-out", "1e9"], "'1e9' is invalid for '--fade-out <time>'"),
    (["-", "--control"], "--control"),
    (["--rate", "0"], "--rate 0"), (["--rate", "48kHz"], "'48kHz'"),
    (["--channels", "2"], "--channels requires --rate"),
    (["--rate", "48000", "--channels", "33"], "--channels 33"),
    (["--raw", "s16"], "--raw"), (["-", "--raw", "s8"], "'s8'"),
    (["-", "--raw-rate", "8000"], "--raw-rate"),
    (["-", "--raw", "s16", "--raw-channels", "0"], "--raw-channels 0"),
  ])
  func `a usage error has status 64, and its message names the argument`(
    arguments: [String], names: String
  )
    async throws
  {
    let run = try await BuiltCommand.shell(
      (["syrinx play a.wav"] + arguments.map { "'\($0)'" }).joined(separator: " "), in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(names))
    #expect(run.error.contains("Usage: syrinx play"))
  }
}
