import AudioCore
import Foundation
import SoundFile
import SpeechClient

/// The time of the processor and of the clock that the clips take, beside `pocketsphinx_batch`.
///
/// All programs run in each round, one after the other: how fast this machine is changes from one
/// minute to the next. Of absolute figures the least counts, of shares the median of the rounds;
/// the clips come several times over, so that the beginning and the last utterance weigh little.
enum RecognitionCosts {
  /// What runs have used.
  private struct Use {
    var processor: [Double] = []
    var wall: [Double] = []

    var leastProcessor: Double { processor.min() ?? .infinity }
    var leastWall: Double { wall.min() ?? .infinity }

    /// The median over the rounds of this one's time of the clock against another's.
    func share(of other: Use) -> Double {
      let shares = zip(wall, other.wall).map { $0 / $1 }.sorted()
      return shares.isEmpty ? .nan : (shares[(shares.count - 1) / 2] + shares[shares.count / 2]) / 2
    }
  }

  /// What was measured: the beginning alone, the peer, two of it at once, and the command.
  private struct Uses {
    var (start, withGrammar) = (Use(), Use())
    var (peer, peers, one, two) = (Use(), Use(), Use(), Use())
  }

  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let silence = bench.folder.appending(path: "silence.wav")
    let writer = try SoundFileWriter(url: silence, format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 1_600, format: .speech))
    try writer.close()
    let grammar = bench.file("grammar")
    try "#JSGF V1.0; grammar a; public <a> = go (forward | back);".write(
      toFile: grammar, atomically: true, encoding: .utf8)
    let times = max(1, Options.number("--times", or: 3))
    let clips = (0..<times).flatMap { _ in bench.clips }
    let batch = try batchArguments(bench, clips, "1")
    let other = try batchArguments(bench, clips, "2")
    let files = clips.map(\.url.path)
    var uses = Uses()
    for _ in 0..<max(1, Options.number("--rounds", or: 3)) {
      try run([syrinx(["--jobs", "1", silence.path], bench)], adding: &uses.start)
      try run([syrinx(["--grammar", grammar, silence.path], bench)], adding: &uses.withGrammar)
      try run([batch], adding: &uses.peer)
      try run([syrinx(["--jobs", "1"] + files, bench)], adding: &uses.one)
      try run([syrinx(["--jobs", "2"] + files, bench)], adding: &uses.two)
      try run([batch, other], adding: &uses.peers)
    }
    return findings(bench.seconds * Double(times), files.count, uses)
      + [try wordErrors(bench, times)]
  }

  private static func findings(_ seconds: Double, _ count: Int, _ uses: Uses) -> [Finding] {
    let clips = "\(count) clips, \(Int(seconds)) s"
    let (start, peer, one, two) = (uses.start, uses.peer, uses.one, uses.two)
    let rounds = "median of \(one.wall.count)"
    return [
      Finding(
        name: "start-up with a grammar", value: uses.withGrammar.leastWall, unit: "s", bound: 0.4,
        remark: "of words that dictation finds"),
      Finding(
        name: "start-up: 0.1 s of silence", value: start.leastWall, unit: "s", bound: 0.4,
        remark: "the model is loaded"),
      Finding(
        name: "RTF, one job, without start-up",
        value: (one.leastProcessor - start.leastProcessor) / seconds, unit: "s CPU/s",
        bound: 0.2, remark: clips),
      Finding(name: "\(clips) by pocketsphinx_batch", value: peer.leastProcessor, unit: "s CPU"),
      Finding(
        name: "\(clips), one job, against pocketsphinx_batch", value: one.leastProcessor,
        unit: "s CPU", bound: peer.leastProcessor),
      Finding(name: "\(clips) by pocketsphinx_batch", value: peer.leastWall, unit: "s"),
      Finding(name: "\(clips), one job", value: one.leastWall, unit: "s"),
      Finding(
        name: "\(clips), two jobs, against pocketsphinx_batch", value: two.leastWall, unit: "s",
        bound: 0.55 * peer.leastWall),
      Finding(
        name: "two pocketsphinx_batch, share of one's time for as much",
        value: uses.peers.share(of: peer) / 2, unit: "", remark: "\(rounds): what the machine gives"
      ),
      Finding(
        name: "two jobs, share of one job's time", value: two.share(of: one), unit: "",
        bound: 1 / 1.8, remark: rounds),
    ]
  }

  /// The last transcripts against what was said.
  private static func wordErrors(_ bench: SpeechBench, _ times: Int) throws -> Finding {
    let records = try String(contentsOfFile: bench.file("out"), encoding: .utf8)
      .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let rates = bench.clips.map { clip in
      WordErrorRate(
        reference: Array(repeating: clip.words, count: times).joined(separator: " "),
        hypothesis: records.filter { $0.file == clip.url.path }.map(\.text).joined(separator: " "))
    }
    let rate = rates.dropFirst().reduce(rates[0], +)
    return Finding(
      name: "word error rate", value: (rate.rate ?? 0) * 100, unit: "%",
      bound: bench.isShared ? 22 : nil,
      remark: "\(rate.errorCount) of \(rate.referenceCount) words")
  }

  private struct Line: Decodable {
    let file: String
    let text: String
  }

  private static func syrinx(_ arguments: [String], _ bench: SpeechBench) -> [String] {
    redirected([SpeechBench.syrinx, "transcribe", "--json"] + arguments, to: bench.file("out"))
  }

  private static func batchArguments(
    _ bench: SpeechBench, _ clips: [SpeechBench.Clip], _ number: String
  ) throws -> [String] {
    let model = "/usr/share/pocketsphinx/model/en-us"
    let list = clips.map { $0.url.deletingPathExtension().path }.joined(separator: "\n")
    try (list + "\n").write(toFile: bench.file("clips"), atomically: true, encoding: .utf8)
    return redirected(
      [
        Options.value("--batch") ?? "pocketsphinx_batch", "-adcin", "yes", "-adchdr", "44",
        "-cepdir", "/", "-cepext", ".wav", "-ctl", bench.file("clips"), "-hmm", "\(model)/en-us",
        "-lm", "\(model)/en-us.lm.bin", "-dict", "\(model)/cmudict-en-us.dict", "-hyp",
        bench.file("batch-\(number)"), "-logfn", "/dev/null",
      ], to: "/dev/null")
  }

  private static func redirected(_ arguments: [String], to path: String) -> [String] {
    ["sh", "-c", "exec \"$@\" > '\(path)'", "sh"] + arguments
  }

  /// Runs programs at once, until the last has ended.
  private static func run(_ commands: [[String]], adding use: inout Use) throws {
    let begin = ContinuousClock.now
    let programs = try commands.map { try Program($0) }
    let costs = try programs.map { try $0.cost() }
    use.wall.append(begin.duration(to: .now).inSeconds)
    use.processor.append(costs.reduce(0) { $0 + $1.seconds })
    guard costs.allSatisfy({ $0.status == 0 }) else {
      throw Program.Failure(description: "\(commands[0].joined(separator: " ")) failed")
    }
  }
}
