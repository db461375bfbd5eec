import AudioCore
import BenchmarkTools
import Foundation
import SoundFile

/// The CPU and wall time of the clips with Moonshine, beside `sherpa-onnx-offline` with the files
/// of the same model; each loads them.
enum MoonshineCosts {
  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let files = (0..<bench.times).flatMap { _ in bench.clips.map(\.url.path) }
    let ours = Transcribing(engine: "moonshine", bench: bench)
    let peer = try SherpaPrograms(bench)
    let second = try oneSecond(of: bench)
    var (short, one, two, timed, theirs) = (Runs(), Runs(), Runs(), Runs(), Runs())
    for _ in 0..<Runs.rounds {
      // A run takes half a second, so other load can distort one; the shortest of many is reliable.
      for _ in 0..<4 { try short.add(ours.command([second], isTimed: false)) }
      try theirs.add(peer.command(files))
      try one.add(ours.command(["--jobs", "1"] + files, isTimed: false))
      try two.add(ours.command(["--jobs", "2"] + files, isTimed: false))
      try timed.add(ours.command(["--jobs", "1"] + files))
    }
    let clips = "\(files.count) clips, \(Int(bench.seconds * Double(bench.times))) s"
    return [
      try ours.wordErrors(bound: 6),
      Finding(
        name: "a clip of 1 s, from start to text", value: short.leastProcessor, unit: "s CPU",
        bound: 0.5, remark: "moonshine"),
      Finding(
        name: "\(clips) by sherpa-onnx-offline", value: theirs.leastProcessor, unit: "s CPU"),
      Finding(
        name: "\(clips), moonshine, one job, against that", value: one.leastProcessor,
        unit: "s CPU", bound: 0.4 * theirs.leastProcessor),
      Finding(
        name: "\(clips), moonshine, with the times of words", value: timed.leastProcessor,
        unit: "s CPU"),
      Finding(
        name: "moonshine: two jobs, share of one job's time", value: two.share(of: one), unit: "",
        bound: 0.55, remark: "median of \(one.count)"),
    ]
  }

  /// A file with the first second of the first clip.
  private static func oneSecond(of bench: SpeechBench) throws -> String {
    let url = bench.folder.appending(path: "second.wav")
    let writer = try SoundFileWriter(url: url, format: .speech, encoding: .wav16)
    try writer.write(SpeechBench.buffer(of: bench.clips[0].url).frames(0..<16_000))
    try writer.close()
    return url.path
  }
}
