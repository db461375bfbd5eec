import AudioCore
import BenchmarkTools
import Foundation
import MoonshineEngine
import SpeechEngine

/// The peer programs from PyPI's packages `sherpa-onnx-bin` and `sherpa-onnx-core`, with the files
/// of our Moonshine model.
struct SherpaPrograms {
  private let folder: URL
  private let model: URL
  private let tokens: String
  private let output: String

  init(_ bench: SpeechBench) throws {
    folder =
      Options.value("--sherpa").map { URL(filePath: $0) }
      ?? SpeechBench.root.appending(path: ".build/sherpa")
    guard case .ready(let model) = SpeechEngine.moonshine().availability() else {
      throw Program.Failure(description: "Moonshine is not installed: Tests/bench.sh installs it")
    }
    self.model = URL(filePath: model.location)
    tokens = bench.file("tokens.txt")
    output = bench.file("sherpa")
    let table = try Data(contentsOf: self.model.appending(path: "tokenizer.bin"))
    try Self.lines(of: table).write(toFile: tokens, atomically: true, encoding: .utf8)
  }

  /// Returns a command with `sherpa-onnx-offline`, which has one thread.
  func command(_ files: [String]) -> [String] { command("sherpa-onnx-offline", files) }

  /// Returns a command with `sherpa-onnx-offline-parallel`, with a single-threaded recognizer per
  /// job.
  func parallelCommand(_ files: [String], jobs: Int) -> [String] {
    command("sherpa-onnx-offline-parallel", ["--nj=\(jobs)"] + files)
  }

  private func command(_ name: String, _ arguments: [String]) -> [String] {
    let program = folder.appending(path: "bin/\(name)").path
    let library = folder.appending(path: "sherpa_onnx/lib").path
    return Runs.redirected(
      [
        "env", "LD_LIBRARY_PATH=\(library)", program, "--tokens=\(tokens)", "--num-threads=1",
        "--moonshine-encoder=\(model.appending(path: "encoder_model.ort").path)",
        "--moonshine-merged-decoder=\(model.appending(path: "decoder_model_merged.ort").path)",
      ] + arguments, to: output)
  }

  /// Returns the table of tokens in the format of the program: each token in base 64, with its
  /// number.
  private static func lines(of table: Data) -> String {
    var lines: [String] = []
    var rest = table[...]
    while let length = rest.popFirst() {
      let bytes = rest.prefix(Int(length))
      // Every line needs text, so a token without text, which is never decoded, gets a "?".
      let text = bytes.isEmpty ? Data("?".utf8) : Data(bytes)
      lines.append("\(text.base64EncodedString()) \(lines.count)\n")
      rest = rest.dropFirst(Int(length))
    }
    return lines.joined()
  }
}
