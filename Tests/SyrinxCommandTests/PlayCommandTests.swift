import Foundation
import SoundFile
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlayCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `a file is played in its own time and nothing is said`() async throws {
    try folder.tone("a.wav", .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    let run = try await play("a.wav")
    #expect(run.status == 0)
    #expect(run.output.isEmpty && run.error.isEmpty)
    #expect(clock.now - start >= .milliseconds(300))
  }

  @Test
  func `what cannot be played is reported and the next file follows`() async throws {
    try folder.tone("good.wav", .milliseconds(100))
    try Data().write(to: folder.file("empty.wav"))
    try Data("hello\n".utf8).write(to: folder.file("text.wav"))
    try FileManager.default.createDirectory(
      at: folder.file("folder.wav"), withIntermediateDirectories: false)
    let run = try await play(
      "missing.wav", "folder.wav", "empty.wav", "text.wav", "good.wav", "-v")
    #expect(run.status == 1)
    let reports = run.errorLines.filter { $0.hasPrefix("syrinx: ") }
    try #require(reports.count == 4)
    #expect(reports[0].contains("missing.wav"))
    #expect(reports[1].contains("folder.wav is a folder"))
    #expect(reports[2].contains("empty.wav is empty"))
    #expect(reports[3].contains("text.wav is not a sound file"))
    #expect(run.error.contains("playing good.wav"))
  }

  @Test
  func `with --verbose it says all that the device settled on`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await play("a.wav", "--verbose")
    let line = run.errorLines.first { $0.contains("playing a.wav on virtual") }
    #expect(line?.contains("float32, ") == true, "\(run.error)")
    #expect(line?.contains(" frames a period, ") == true)
  }

  @Test
  func `a link that leads nowhere is a missing file`() async throws {
    try FileManager.default.createSymbolicLink(
      at: folder.file("link.wav"), withDestinationURL: folder.file("nowhere.wav"))
    let run = try await play("link.wav")
    #expect(run.status == 1)
    #expect(run.error.contains("link.wav"))
  }

  @Test
  func `a file that may not be read is named`() async throws {
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
    #expect(run.error.contains("you may not open"))
    #expect(run.error.contains("secret.wav"))
  }

  @Test
  func `of a truncated file is played what is there, with a warning`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await play("cut.wav")
    #expect(run.status == 0)
    #expect(
      run.errorLines.contains(
        "syrinx: cut.wav is shorter than its header says: 1.000 s were announced, 0.100 s were there"
      ))
  }

  @Test
  func `a pipe is played from standard input`() async throws {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await BuiltCommand.shell("cat a.wav | syrinx play - -d virtual -v", in: folder)
    #expect(run.status == 0)
    #expect(run.error.contains("16000 Hz, mono"))
  }

  @Test
  func `samples without a header are played as they are described`() async throws {
    try Data(count: 3 * 2 * 1_600 + 5).write(to: folder.file("a.raw"))
    let run = try await BuiltCommand.shell(
      "syrinx play - --raw s24 --raw-rate 16000 -d virtual -v < a.raw", in: folder)
    #expect(run.status == 0)
    #expect(run.error.contains("16000 Hz, stereo"))
  }

  @Test
  func `an empty standard input is an error`() async throws {
    let run = try await play("-")
    #expect(run.status == 1)
    #expect(run.error.contains("standard input is empty"))
  }

  @Test
  func `repetitions take their time`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try await play("a.wav", "--loop", "3").status == 0)
    #expect(clock.now - start >= .milliseconds(300))
  }

  @Test
  func `a list is played as often as it is to be repeated, and each file is told`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    try folder.tone("b.wav", .milliseconds(100))
    let run = try await play("a.wav", "b.wav", "--repeat", "2", "--json")
    #expect(run.status == 0)
    let advanced = run.outputLines.filter { $0.contains("\"advanced\"") }
    #expect(advanced.count == 3)
    #expect(run.outputLines.last?.contains("0.4") == true)
  }

  @Test
  func `Ctrl-C ends several files that go round for ever with 130`() async throws {
    try folder.tone("a.wav", .milliseconds(50))
    try folder.tone("b.wav", .milliseconds(50))
    let run = try RunningCommand(
      "play", "a.wav", "b.wav", "--loop", "forever", "-d", "virtual", "--json", in: folder,
      watching: .output)
    var advanced = 0
    for await line in run.lines where line.contains("\"advanced\"") {
      advanced += 1
      if advanced == 5 { run.send(SIGINT) }
    }
    #expect(advanced >= 5)
    #expect(await run.status() == 130)
  }

  @Test
  func `Ctrl-C ends an endless loop with 130`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try RunningCommand(
      "play", "a.wav", "--loop", "forever", "-d", "virtual", "-v", in: folder, watching: .error)
    #expect(await run.lines.first(containing: "playing a.wav") != nil)
    run.send(SIGINT)
    #expect(await run.status() == 130)
  }

  @Test
  func `SIGTERM ends it with 143 while it waits for a pipe`() async throws {
    let run = try await BuiltCommand.shell(
      """
      mkfifo pipe; exec 3<>pipe
      syrinx play pipe -d virtual & player=$!
      kill -TERM $player; wait $player
      """, in: folder)
    #expect(run.status == 143)
  }

  @Test(arguments: ["nonsense", "hw:CARD=nonsense"])
  func `an unknown device is named`(device: String) async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run("play", "a.wav", "-d", device, in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("no playback device \"\(device)\""))
  }

  @Test
  func `without a sound card it says so, once for all files`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run(
      "play", "a.wav", "a.wav", in: folder, environment: BuiltCommand.withoutSoundCard)
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("no sound card"))
  }

  @Test
  func `all that cannot be played is reported, also where nothing can`() async throws {
    try Data().write(to: folder.file("empty.wav"))
    let run = try await play("missing.wav", "empty.wav")
    #expect(run.status == 1)
    #expect(run.errorLines.count == 2)
    #expect(run.error.contains("missing.wav") && run.error.contains("empty.wav is empty"))
  }

  @Test
  func `of each file the part is played that was asked for`() async throws {
    try folder.tone("a.wav", .seconds(5))
    try folder.tone("b.flac", .seconds(5))
    let run = try await play(
      "a.wav", "b.flac", "--start", "4.8", "--end", "4.95", "--fade-in", "0.05", "--fade-out",
      "0.05", "--json")
    #expect(run.status == 0)
    let last = try #require(run.outputLines.last)
    #expect(last == #"{"event":"finished","heard":0.3,"reason":"completed"}"#)
    let advanced = run.outputLines.filter { $0.contains(#""event":"advanced""#) }
    #expect(
      advanced == [
        #"{"event":"advanced","file":"b.flac","frame":76800,"heard":0.15,"item":1,"length":5,"position":4.8}"#
      ])
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.mp3"])
  func `a start behind the end of a file is told as that`(file: String) async throws {
    try folder.tone(file, .seconds(2))
    let run = try await play(file, "--start", "5")
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("--start"), "\(run.error)")
    #expect(run.error.contains("2.0"), "\(run.error)")
    #expect(!run.error.contains("holds no audio"))
  }

  @Test
  func `standard input tells it to pause, to go on, to seek and to stop`() async throws {
    try folder.tone("a.wav", .seconds(60))
    try folder.tone("b.wav", .seconds(60))
    let run = try await BuiltCommand.shell(
      """
      printf '%s\n' 'seek 30' nonsense '' pause 'seek 50' resume skip 'volume 0.5' pause stop |
        syrinx play a.wav b.wav -d virtual --control --json
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("\"nonsense\" is no command"))
    let events = run.outputLines.compactMap { line in
      ["started", "paused", "resumed", "advanced", "finished"].first {
        line.contains("\"event\":\"\($0)\"")
      }
    }
    #expect(events.last == "finished")
    #expect(run.output.contains(#""event":"sought""#))
    #expect(run.outputLines.last?.contains("stopped") == true)
  }

  @Test
  func `a fade that is told takes its time, and a file that there is not is told`() async throws {
    try folder.tone("a.wav", .seconds(60))
    try folder.tone("b.wav", .seconds(60))
    let run = try await BuiltCommand.shell(
      """
      printf '%s\\n' 'seek 1 3' 'volume 0.5 0.1' 'seek 30 2' 'pause 0.05' 'resume 0.1' 'stop 1.5' |
        syrinx play a.wav b.wav -d virtual --control --json
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.errorLines == ["syrinx: there is no file 3; there are files 1 to 2"])
    #expect(run.output.contains(#""event":"sought","file":"b.wav""#))
    let finish = try #require(run.outputLines.last)
    let heard = try #require(finish.firstMatch(of: /"heard":([0-9.]+)/)).1
    #expect(try #require(Double(heard)) >= 1.5)
  }

  @Test
  func `the device is opened as it was asked for`() async throws {
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
  func `the end of standard input ends nothing`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    #expect(try await play("a.wav", "--control").status == 0)
  }

  @Test
  func `what is paused goes on at the end of standard input`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell(
      "echo pause | syrinx play a.wav -d virtual --control --json", in: folder)
    #expect(run.status == 0)
    #expect(run.outputLines.last?.contains(#""reason":"completed""#) == true, "\(run.output)")
  }

  @Test(arguments: [
    (["--volume", "1.5"], "--volume 1.5"), (["--volume=-0.1"], "--volume -0.1"),
    (["--volume", "nan"], "--volume nan"), (["--loop", "0"], "'0'"),
    (["--loop=-1"], "'-1'"), (["--loop", "often"], "'often'"),
    (["--device", "virtual:a.wav"], "--device virtual:a.wav"), (["--device", ""], "--device"),
    (["--loop", "forever", "--repeat", "2"], "--loop forever"), (["--repeat", "0"], "'0'"),
    (["-", "--repeat", "2"], "--repeat"), (["-", "--loop", "2"], "--loop"),
    (["-", "-"], "standard input"), (["--nonsense"], "--nonsense"), (["--start=-1"], "--start -1"),
    (["--start", "2", "--end", "1.5"], "--end 1.5"), (["--fade-in", "nan"], "--fade-in nan"),
    (["--fade-out", "1e9"], "--fade-out 1"), (["-", "--control"], "--control"),
    (["--rate", "0"], "--rate 0"), (["--rate", "48kHz"], "'48kHz'"),
    (["--channels", "2"], "--channels goes with --rate"),
    (["--rate", "48000", "--channels", "33"], "--channels 33"),
    (["--raw", "s16"], "--raw"), (["-", "--raw", "s8"], "'s8'"),
    (["-", "--raw-rate", "8000"], "--raw-rate"),
    (["-", "--raw", "s16", "--raw-channels", "0"], "--raw-channels 0"),
  ])
  func `wrong usage is told from failure`(arguments: [String], names: String) async throws {
    let run = try await BuiltCommand.shell(
      (["syrinx play a.wav"] + arguments.map { "'\($0)'" }).joined(separator: " "), in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(names))
    #expect(run.error.contains("Usage: syrinx play"))
  }

  private func play(_ arguments: String...) async throws -> BuiltCommand.Outcome {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await BuiltCommand.shell("syrinx play \(words) -d virtual", in: folder)
  }
}
