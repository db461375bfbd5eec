import AudioCore
import BenchmarkTools
import Foundation
import SoundFile
import SpeechClient

/// Measures the CPU and wall time to recognize the clips, compared with `pocketsphinx_batch`.
///
/// Every round runs all programs, one after another, because the speed of a machine changes from
/// minute to minute. Of the absolute values, the smallest counts; of the ratios, the median. The
/// clips are repeated, so that the start and the last utterance hardly matter.
enum RecognitionCosts {
  /// The runs of each measured program.
  ///
  /// `start` and `withGrammar` are short runs without speech. `peer` is one run of the peer, and
  /// `peers` are two at the same time. `one` and `two` are our command with one and two jobs.
  private struct Uses {
    var (start, withGrammar) = (Runs(), Runs())
    var (peer, peers, one, two) = (Runs(), Runs(), Runs(), Runs())
  }

  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let silence = bench.folder.appending(path: "silence.wav")
    let writer = try SoundFileWriter(url: silence, format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 1_600, format: .speech))
    try writer.close()
    let grammar = bench.file("grammar")
    try "#JSGF V1.0; grammar a; public <a> = go (forward | back);".write(
      toFile: grammar, atomically: true, encoding: .utf8)
    let times = bench.times
    let clips = (0..<times).flatMap { _ in bench.clips }
    let batch = try batchArguments(bench, clips, "1")
    let other = try batchArguments(bench, clips, "2")
    let files = clips.map(\.url.path)
    let ours = Transcribing(engine: "pocketsphinx", bench: bench)
    var uses = Uses()
    for _ in 0..<Runs.rounds {
      try uses.start.add(ours.command(["--jobs", "1", silence.path]))
      try uses.withGrammar.add(ours.command(["--grammar", grammar, silence.path]))
      try uses.peer.add(batch)
      try uses.one.add(ours.command(["--jobs", "1"] + files))
      try uses.two.add(ours.command(["--jobs", "2"] + files))
      try uses.peers.add(batch, other)
    }
    return findings(bench.seconds * Double(times), files.count, uses)
      + [try ours.wordErrors(bound: 22, normalization: .written)]
  }

  private static func findings(_ seconds: Double, _ count: Int, _ uses: Uses) -> [Finding] {
    let clips = "\(count) clips, \(Int(seconds)) s"
    let (start, peer, one, two) = (uses.start, uses.peer, uses.one, uses.two)
    let rounds = "median of \(one.count)"
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

  private static func batchArguments(
    _ bench: SpeechBench, _ clips: [SpeechBench.Clip], _ number: String
  ) throws -> [String] {
    let model = "/usr/share/pocketsphinx/model/en-us"
    let list = clips.map { $0.url.deletingPathExtension().path }.joined(separator: "\n")
    try (list + "\n").write(toFile: bench.file("clips"), atomically: true, encoding: .utf8)
    return Runs.redirected(
      [
        Options.value("--batch") ?? "pocketsphinx_batch", "-adcin", "yes", "-adchdr", "44",
        "-cepdir", "/", "-cepext", ".wav", "-ctl", bench.file("clips"), "-hmm", "\(model)/en-us",
        "-lm", "\(model)/en-us.lm.bin", "-dict", "\(model)/cmudict-en-us.dict", "-hyp",
        bench.file("batch-\(number)"), "-logfn", "/dev/null",
      ], to: "/dev/null")
  }
}
