import AudioCore
import BenchmarkTools
import Foundation
import SpeechClient

/// The resources that runs of one program have used.
struct Runs {
  private var processor: [Double] = []
  private var wall: [Double] = []

  var count: Int { wall.count }
  var leastProcessor: Double { processor.min() ?? .infinity }
  var leastWall: Double { wall.min() ?? .infinity }

  /// Returns the median, over all rounds, of the ratio of this wall time to the other wall time.
  func share(of other: Runs) -> Double {
    let shares = zip(wall, other.wall).map { $0 / $1 }.sorted()
    return shares.isEmpty ? .nan : (shares[(shares.count - 1) / 2] + shares[shares.count / 2]) / 2
  }

  /// The number of rounds, in each of which every program runs once.
  static var rounds: Int { max(1, Options.number("--rounds", or: 3)) }

  /// Runs programs at the same time, until the last one has ended.
  mutating func add(_ commands: [String]...) throws {
    try add(commands) { _ in }
  }

  /// Runs a program and returns the peak of its memory, in bytes.
  mutating func addWatched(_ command: [String]) throws -> Int {
    var peak = 0
    try add([command]) { peak = $0[0].history(of: .peak).last ?? 0 }
    return peak
  }

  /// Runs a program and returns the seconds until the first byte of its output.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - path: the path to which the program writes; a named pipe is created there.
  mutating func addWithEvents(_ command: [String], in path: String) throws -> Double {
    mkfifo(path, 0o600)
    let begin = ContinuousClock.now
    var start = Duration.zero
    try add([command]) { _ in
      let events = try FileHandle(forReadingFrom: URL(filePath: path))
      _ = try events.read(upToCount: 1)
      start = begin.duration(to: .now)
      _ = try events.readToEnd()
    }
    return start.inSeconds
  }

  private mutating func add(
    _ commands: [[String]], meanwhile: ([Program]) throws -> Void
  ) throws {
    let begin = ContinuousClock.now
    let programs = try commands.map { try Program($0) }
    try meanwhile(programs)
    let costs = try programs.map { try $0.cost() }
    wall.append(begin.duration(to: .now).inSeconds)
    processor.append(costs.reduce(0) { $0 + $1.seconds })
    guard costs.allSatisfy({ $0.status == 0 }) else {
      throw Program.Failure(description: "\(commands[0].joined(separator: " ")) failed")
    }
  }

  /// Returns a command that runs a program with its standard output redirected to a file.
  static func redirected(_ arguments: [String], to path: String) -> [String] {
    ["sh", "-c", "exec \"$@\" > '\(path)'", "sh"] + arguments
  }
}

/// Makes commands with `syrinx transcribe`, and reads their output.
struct Transcribing {
  let engine: String
  let bench: SpeechBench

  /// Returns a command.
  ///
  /// - Parameters:
  ///   - arguments: the options and files.
  ///   - isTimed: whether to write JSON with word times, which `wordErrors` requires.
  ///   - path: the file for standard output; nil for a default file.
  func command(_ arguments: [String], isTimed: Bool = true, to path: String? = nil) -> [String] {
    Runs.redirected(
      installed + [Program.syrinx, "transcribe", "--engine", engine]
        + (isTimed ? ["--json"] : []) + arguments,
      to: path ?? (isTimed ? output : bench.file("text")))
  }

  /// A command prefix that hides installed components from PocketSphinx.
  ///
  /// The bounds for PocketSphinx assume a machine without Silero.
  private var installed: [String] {
    engine == "pocketsphinx" ? ["env", "XDG_DATA_HOME=\(bench.folder.path)"] : []
  }

  /// Returns the word errors in the transcripts of the last run.
  ///
  /// - Parameters:
  ///   - name: the suffix of the finding's name; nil for none.
  ///   - clips: clips that the run recognized once; nil for the clips of the bench, which the run
  ///     repeated.
  ///   - bound: the maximum word error rate in percent, if `SpeechBench.isShared`; nil for none.
  ///   - normalization: how words are normalized before they are compared.
  func wordErrors(
    _ name: String? = nil, of clips: [SpeechBench.Clip]? = nil, bound: Double? = nil,
    normalization: WordNormalization = .spoken
  ) throws -> Finding {
    let records = try String(contentsOfFile: output, encoding: .utf8)
      .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let rates = (clips ?? bench.clips).map { clip in
      WordErrorRate(
        reference: Array(repeating: clip.words, count: clips == nil ? bench.times : 1)
          .joined(separator: " "),
        hypothesis: records.filter { $0.file == clip.url.path }.compactMap(\.text)
          .joined(separator: " "),
        normalization: normalization)
    }
    let rate = rates.dropFirst().reduce(rates[0], +)
    return Finding(
      name: "\(engine): word error rate" + (name.map { ", \($0)" } ?? ""),
      value: (rate.rate ?? 0) * 100, unit: "%", bound: bench.isShared ? bound : nil,
      remark: "\(rate.errorCount) of \(rate.referenceCount) words")
  }

  private struct Line: Decodable {
    let file: String
    /// The recognized text; nil in the record of a loss.
    let text: String?
  }

  private var output: String { bench.file("out-\(engine)") }
}
