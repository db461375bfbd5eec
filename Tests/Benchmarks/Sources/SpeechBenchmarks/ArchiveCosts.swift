import AudioCore
import BenchmarkTools
import Foundation
import SoundFile

/// Measures the cost of archives with Moonshine.
///
/// A folder of clips is compared with `sherpa-onnx-offline-parallel`, which uses the files of the
/// same model. A folder of silent files measures only the cost of bookkeeping.
enum ArchiveCosts {
  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let count = max(1, Options.number("--files", or: 2_000))
    let folder = bench.folder.appending(path: "clips")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let clips = (0..<count).map { bench.clips[$0 % bench.clips.count] }
    let files = try clips.enumerated().map { number, clip in
      let file = folder.appending(path: "\(number).wav")
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: clip.url)
      return file.path
    }
    let peer = try SherpaPrograms(bench)
    let syrinx = Transcribing(engine: "moonshine", bench: bench)
    var findings: [Finding] = []
    var (ours, theirs, peak) = (Runs(), Runs(), 0)
    for jobs in 1...2 {
      (ours, theirs) = (Runs(), Runs())
      try theirs.add(peer.parallelCommand(files, jobs: jobs))
      let options = [folder.path, "-o", bench.file("texts-\(jobs)"), "--jobs", "\(jobs)"]
      peak = try ours.addWatched(syrinx.command(options, isTimed: false))
      let seconds = clips.reduce(0) { $0 + $1.seconds }
      findings += rows("sherpa-onnx-offline-parallel", theirs, jobs, count, seconds)
      findings += rows("syrinx transcribe", ours, jobs, count, seconds)
      findings.append(
        Finding(
          name: "jobs: \(jobs), share of its time", value: ours.share(of: theirs), unit: "",
          bound: 1 / 1.5))
    }
    findings.append(memory("2 jobs", peak, bound: 500))
    return try findings + silenceFindings(clip: ours.leastWall / Double(count), on: bench)
  }

  private static func rows(
    _ program: String, _ runs: Runs, _ jobs: Int, _ count: Int, _ seconds: Double
  ) -> [Finding] {
    [
      Finding(
        name: "\(program), jobs: \(jobs)", value: Double(count) / runs.leastWall, unit: "files/s",
        remark: "\(count) clips, \(Int(seconds)) s"),
      Finding(
        name: "\(program), jobs: \(jobs), for an hour of audio",
        value: runs.leastProcessor / seconds * 3_600, unit: "s CPU"),
    ]
  }

  /// Returns the findings for a folder of silent files.
  ///
  /// - Parameters:
  ///   - clip: the average time in which two jobs transcribe a clip, in seconds.
  ///   - bench: the clips and the working folder.
  private static func silenceFindings(clip: Double, on bench: SpeechBench) throws -> [Finding] {
    let count = max(1, Options.number("--results", or: 100_000))
    let folder = bench.folder.appending(path: "silence")
    let silence = bench.folder.appending(path: "silence.wav")
    let writer = try SoundFileWriter(url: silence, format: .speech, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 160, format: .speech))
    try writer.close()
    let bytes = try Data(contentsOf: silence)
    for number in 0..<count {
      // Each folder contains 1,000 files, a usual number.
      let part = folder.appending(path: "\(number / 1_000)")
      if number % 1_000 == 0 {
        try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      }
      try bytes.write(to: part.appending(path: "\(number).wav"))
    }
    let archive = [folder.path, "-o", bench.file("nothing"), "--jobs", "2"]
    let events = bench.file("events")
    let syrinx = Transcribing(engine: "moonshine", bench: bench)
    var (plain, first, again) = (Runs(), Runs(), Runs())
    try plain.add(syrinx.command([folder.path, "--jobs", "2"], isTimed: false))
    let start = try first.addWithEvents(
      syrinx.command(archive + ["--json", "--format", "text"], isTimed: false, to: events),
      in: events)
    let peak = try again.addWatched(syrinx.command(archive + ["--resume"], isTimed: false))
    let bookkeeping = (first.leastWall - plain.leastWall) / Double(count)
    return [
      Finding(
        name: "bookkeeping for a file, share of a clip's time", value: bookkeeping / clip * 100,
        unit: "%", bound: 2, remark: "of \(count) silent files, jobs: 2"),
      Finding(
        name: "\(count) files: from start to the end of the first", value: start, unit: "s",
        bound: 2),
      Finding(
        name: "\(count) results: --resume, nothing left", value: again.leastWall, unit: "s",
        bound: 3),
      memory("--resume, nothing left", peak),
    ]
  }

  private static func memory(_ run: String, _ peak: Int, bound: Double? = nil) -> Finding {
    Finding(
      name: "\(run): memory, at most", value: Double(peak) / 1e6, unit: "MB", bound: bound)
  }
}
