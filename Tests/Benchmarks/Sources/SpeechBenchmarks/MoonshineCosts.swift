import AudioCore
import BenchmarkTools
import Foundation
import MoonshineEngine
import SoundFile
import SpeechEngine

/// The time of the processor and of the clock that the clips take with Moonshine, beside
/// `sherpa-onnx-offline` with the files of the same model, each loading them.
enum MoonshineCosts {
  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let files = (0..<bench.times).flatMap { _ in bench.clips.map(\.url.path) }
    let ours = Transcribing(engine: "moonshine", bench: bench)
    let peer = try SherpaProgram(bench)
    let second = try oneSecond(of: bench)
    var (short, one, two, timed, theirs) = (Runs(), Runs(), Runs(), Runs(), Runs())
    for _ in 0..<Runs.rounds {
      try short.add(ours.command([second], isTimed: false))
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

/// `sherpa-onnx-offline` of PyPI's packages `sherpa-onnx-bin` and `sherpa-onnx-core`.
private struct SherpaProgram {
  private let folder: URL
  private let model: URL
  private let tokens: String
  private let output: String

  init(_ bench: SpeechBench) throws {
    folder =
      Options.value("--sherpa").map { URL(filePath: $0) }
      ?? SpeechBench.root.appending(path: ".build/sherpa")
    guard case .ready(let model) = SpeechEngine.moonshine().availability() else {
      throw Program.Failure(description: "Moonshine is not installed: Tests/bench.sh does it")
    }
    self.model = URL(filePath: model.location)
    tokens = bench.file("tokens.txt")
    output = bench.file("sherpa")
    let table = try Data(contentsOf: self.model.appending(path: "tokenizer.bin"))
    try Self.lines(of: table).write(toFile: tokens, atomically: true, encoding: .utf8)
  }

  func command(_ files: [String]) -> [String] {
    let program = folder.appending(path: "bin/sherpa-onnx-offline").path
    let library = folder.appending(path: "sherpa_onnx/lib").path
    return Runs.redirected(
      [
        "env", "LD_LIBRARY_PATH=\(library)", program, "--tokens=\(tokens)", "--num-threads=1",
        "--moonshine-encoder=\(model.appending(path: "encoder_model.ort").path)",
        "--moonshine-merged-decoder=\(model.appending(path: "decoder_model_merged.ort").path)",
      ] + files, to: output)
  }

  /// The table of tokens as the program reads it: each in base 64, with its number.
  private static func lines(of table: Data) -> String {
    var lines: [String] = []
    var rest = table[...]
    while let length = rest.popFirst() {
      let bytes = rest.prefix(Int(length))
      // What has no text is never decoded; but no line may lack one.
      let text = bytes.isEmpty ? Data("?".utf8) : Data(bytes)
      lines.append("\(text.base64EncodedString()) \(lines.count)\n")
      rest = rest.dropFirst(Int(length))
    }
    return lines.joined()
  }
}
