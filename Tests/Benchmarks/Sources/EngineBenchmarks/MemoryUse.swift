import BenchmarkTools
import Foundation

/// Measures the memory of playing and recording, each in a separate process.
enum MemoryUse {
  @Sendable static func measure(on bench: Workbench) async throws -> [Finding] {
    let sound = try bench.sound(seconds: 60)
    let engines = try ["play", "record"].flatMap { work in
      try Worker.lines(["--worker", work, sound, bench.file("hour.wav")]).map { name, mebibytes in
        Finding(
          name: name, value: mebibytes, unit: "MiB", bound: name.hasPrefix("more") ? 1 : 25)
      }
    }
    return engines + (try commands(bench, sound))
  }

  /// Returns the memory of the command itself after ten seconds in real time.
  private static func commands(_ bench: Workbench, _ sound: String) throws -> [Finding] {
    let works = [
      ["play", sound], ["record", "--seconds", "20", bench.file("ten.wav")],
    ]
    let programs = try works.map { work in
      try Program([Program.syrinx, work[0], "--device", "syrinxtest"] + work.dropFirst())
    }
    sleep(10)
    return try zip(works, programs).map { work, program in
      let bytes = try program.residentBytes()
      program.interrupt()
      _ = try program.cost()
      return Finding(
        name: "syrinx \(work[0]) after 10 s", value: Double(bytes) / 1_048_576, unit: "MiB",
        bound: 25)
    }
  }
}
