import BenchmarkTools
import Foundation

/// Memory of the command while it recognizes a long file.
enum RecognitionMemory {
  static func measure(_ recognizer: MeasuredRecognizer, on bench: SpeechBench) throws -> [Finding] {
    let minutes = max(1, Options.number("--minutes", or: 20))
    let file = try bench.speech(seconds: Double(minutes * 60))
    let lines = bench.file("lines")
    let program = try Program(
      [
        "sh", "-c", "exec \"$@\" > '\(lines)'", "sh", Program.syrinx, "transcribe", "--engine",
        recognizer.name, "--jobs", "1", "--json", file.path,
      ])
    let peaks = program.peaks()
    let cost = try program.cost()
    guard cost.status == 0, peaks.count >= 8 else {
      throw Program.Failure(description: "the long file was not recognized (\(cost.status))")
    }
    // By the end of the first quarter, every table has seen its longest utterance.
    let (early, late) = (peaks[peaks.count / 4 - 1], peaks[peaks.count - 1])
    return [
      Finding(
        name: "\(recognizer.name): memory with one job, at most", value: Double(late) / 1_048_576,
        unit: "MiB", bound: recognizer.bounds.memory, remark: "\(minutes) min of speech"),
      Finding(
        name: "\(recognizer.name): more memory after the first quarter",
        value: Double(late - early) / 1_048_576,
        unit: "MiB", bound: 5, remark: "\(minutes) min of speech"),
    ]
  }
}
