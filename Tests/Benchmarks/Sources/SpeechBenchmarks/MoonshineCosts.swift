import AudioCore
import BenchmarkTools
import Foundation
import SoundFile

/// Measures the CPU and wall time to recognize the clips with Moonshine and with
/// `sherpa-onnx-offline`; both load the same model files.
enum MoonshineCosts {
  /// The maximum CPU time per second of audio.
  ///
  /// It applies only if `SpeechBench.isShared`, because with fewer clips, the start of the program
  /// would count too much.
  private static let bound = 0.08

  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let files = (0..<bench.times).flatMap { _ in bench.clips.map(\.url.path) }
    let ours = Transcribing(engine: "moonshine", bench: bench)
    let peer = try SherpaPrograms(bench)
    let second = try oneSecond(of: bench)
    var (short, one, two, timed, theirs) = (Runs(), Runs(), Runs(), Runs(), Runs())
    for _ in 0..<Runs.rounds {
      // A run takes only half a second, so other load may distort it. The shortest of many runs is
      // almost undisturbed.
      for _ in 0..<4 { try short.add(ours.command([second], isTimed: false)) }
      try theirs.add(peer.command(files))
      try one.add(ours.command(["--jobs", "1"] + files, isTimed: false))
      try two.add(ours.command(["--jobs", "2"] + files, isTimed: false))
      try timed.add(ours.command(["--jobs", "1"] + files))
    }
    let seconds = bench.seconds * Double(bench.times)
    let clips = "\(files.count) clips, \(Int(seconds)) s"
    return try [
      ours.wordErrors(bound: 4.5),
      Finding(
        name: "a clip of 1 s, from start to text", value: short.leastProcessor, unit: "s CPU",
        bound: 0.5, remark: "moonshine"),
      Finding(
        name: "\(clips) by sherpa-onnx-offline", value: theirs.leastProcessor, unit: "s CPU"),
      Finding(
        name: "\(clips), moonshine, one job, against that", value: one.leastProcessor,
        unit: "s CPU", bound: 0.4 * theirs.leastProcessor),
      Finding(
        name: "\(clips), moonshine, one job, for each second",
        value: one.leastProcessor / seconds, unit: "s CPU/s",
        bound: bench.isShared ? bound : nil),
      Finding(
        name: "\(clips), moonshine, with the times of words", value: timed.leastProcessor,
        unit: "s CPU"),
      Finding(
        name: "moonshine: two jobs, share of one job's time", value: two.share(of: one), unit: "",
        bound: 0.55, remark: "median of \(one.count)"),
    ] + more(of: bench, by: ours)
  }

  /// Returns the findings for `moreClips`: word errors in total and by category, and CPU time.
  private static func more(of bench: SpeechBench, by ours: Transcribing) throws -> [Finding] {
    guard !bench.moreClips.isEmpty else { return [] }
    let (clips, files) = (bench.moreClips, bench.moreClips.map(\.url.path))
    let seconds = clips.reduce(0) { $0 + $1.seconds }
    var (plain, timed) = (Runs(), Runs())
    for _ in 0..<Runs.rounds {
      try plain.add(ours.command(["--jobs", "1"] + files, isTimed: false))
    }
    try timed.add(ours.command(["--jobs", "2"] + files))
    let categories = Dictionary(grouping: clips, by: \.category).sorted { $0.key < $1.key }
    return try [
      ours.wordErrors("more clips", of: clips, bound: 3),
      Finding(
        name: "\(clips.count) more clips, \(Int(seconds)) s, one job, for each second",
        value: plain.leastProcessor / seconds, unit: "s CPU/s", bound: bound, remark: "moonshine"),
    ] + categories.map { try ours.wordErrors("more clips: \($0.key)", of: $0.value) }
  }

  /// Returns a file with the first second of the first clip.
  private static func oneSecond(of bench: SpeechBench) throws -> String {
    let url = bench.folder.appending(path: "second.wav")
    let writer = try SoundFileWriter(url: url, format: .speech, encoding: .wav16)
    try writer.write(SpeechBench.buffer(of: bench.clips[0].url).frames(0..<16_000))
    try writer.close()
    return url.path
  }
}
