import BenchmarkTools
import Foundation

/// Measures how soon the command responds, compared with soxi.
enum StartCosts {
  private static let runs = 20

  static func measure(in folder: URL) throws -> [Finding] {
    let file = folder.appending(path: "one.wav").path
    try Program.run([
      "sox", "-n", "-r", "16000", "-c", "1", "-b", "16", file, "synth", "0.1", "sine",
    ])
    let soxi = try Tool.seconds(runs: runs, ["soxi", file])
    let starts = try [
      ("info of one file", ["info", file], 2.0), ("--version", ["--version"], 3),
      ("help", ["help"], 3),
    ].map { name, arguments, bound in
      let own = try Tool.seconds(runs: runs, [Program.syrinx] + arguments)
      return finding(name, own, soxi, bound, "soxi of one file")
    }
    return try starts + [many(of: file, in: folder)]
  }

  private static func many(of file: String, in folder: URL) throws -> Finding {
    let count = Options.number("--infos", or: 5_000)
    let files = try (1...count).map { number in
      let link = folder.appending(path: "\(number)-info.wav").path
      try FileManager.default.linkItem(atPath: file, toPath: link)
      return link
    }
    let own = try Tool.seconds([Program.syrinx, "info"] + files)
    return finding("info of \(count) files", own, try Tool.seconds(["soxi"] + files), 0.5, "soxi")
  }

  private static func finding(
    _ name: String, _ own: Double, _ peer: Double, _ bound: Double, _ peerName: String
  ) -> Finding {
    Finding(
      name: "\(name), relative to \(peerName)", value: own / peer, unit: "×", bound: bound,
      remark: String(format: "%.1f ms, ours %.1f ms", peer * 1_000, own * 1_000))
  }
}
