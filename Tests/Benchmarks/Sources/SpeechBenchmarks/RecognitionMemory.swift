import BenchmarkTools
import Foundation

/// Measures the memory of the command while it recognizes a long file.
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
    // Only allocated memory is compared, because the system loads and drops pages of mapped files
    // at will.
    let allocated = program.history(of: .allocated)
    let cost = try program.cost()
    guard cost.status == 0, allocated.count >= 8, let most = allocated.max(),
      // By the end of the first quarter, every table has reached the size for the longest
      // utterance, so the memory must not grow afterward.
      let early = allocated.prefix(allocated.count / 4).max()
    else {
      throw Program.Failure(description: "the long file was not recognized (\(cost.status))")
    }
    return [
      Finding(
        name: "\(recognizer.name): memory with one job, at most",
        value: Double(cost.peakBytes) / 1_048_576, unit: "MiB", bound: recognizer.bounds.memory,
        remark: "\(minutes) min of speech"),
      Finding(
        name: "\(recognizer.name): more allocated after the first quarter",
        value: Double(most - early) / 1_048_576,
        unit: "MiB", bound: 5, remark: "\(minutes) min of speech"),
    ]
  }
}
