import BenchmarkTools
import Foundation

/// The time of the processor that a command needs to play or record a minute, beside its peers.
///
/// All run at once and in real time, so that what disturbs the machine disturbs all alike.
enum CommandCosts {
  private struct Peer {
    var name: String
    var arguments: [String]
  }

  private static let format = ["-f", "S16_LE", "-r", "48000", "-c", "2"]
  private static let device = ["-D", "syrinxtest"]

  @Sendable static func measure(on bench: Workbench) throws -> [Finding] {
    let seconds = Options.number("--seconds", or: 60)
    let playing = players(try bench.sound(seconds: seconds))
    let recording = recorders(bench, seconds)
    // Two of each, and the cheaper one counts.
    let started = try (0..<2).map { round in
      try (playing + recording).map { peer in
        try Program(
          peer.arguments.map { $0.replacingOccurrences(of: "@", with: "\(round)") },
          variables: ["AUDIODRIVER": "alsa", "AUDIODEV": "syrinxtest"])
      }
    }
    let costs = try started.map { try $0.map { try cost(of: $0, seconds) } }
    let least = zip(costs[0], costs[1]).map(min)
    return findings(playing, Array(least.prefix(playing.count)), seconds)
      + findings(recording, Array(least.dropFirst(playing.count)), seconds)
  }

  private static func players(_ sound: String) -> [Peer] {
    [
      Peer(
        name: "aplay, period 25 ms × 4",
        arguments: ["aplay", "-q", "--period-time=25000", "--buffer-time=100000"] + device
          + [sound]),
      Peer(name: "aplay as it comes", arguments: ["aplay", "-q"] + device + [sound]),
      Peer(name: "SoX play", arguments: ["play", "-q", sound]),
      Peer(
        name: "syrinx play",
        arguments: [Workbench.syrinx, "play", "--device", "syrinxtest", sound]),
    ]
  }

  private static func recorders(_ bench: Workbench, _ seconds: Int) -> [Peer] {
    let length = ["-d", "\(seconds)"]
    return [
      Peer(
        name: "arecord, period 50 ms × 4",
        arguments: ["arecord", "-q", "--period-time=50000", "--buffer-time=200000"] + device
          + format + length + [bench.file("a@.wav")]),
      Peer(
        name: "arecord as it comes",
        arguments: ["arecord", "-q"] + device + format + length + [bench.file("b@.wav")]),
      Peer(
        name: "SoX rec",
        arguments: [
          "rec", "-q", "-r", "48000", "-c", "2", "-b", "16", bench.file("c@.wav"), "trim",
        ]
          + ["0", "\(seconds)"]),
      Peer(
        name: "syrinx record",
        arguments: [
          Workbench.syrinx, "record", "--device", "syrinxtest", "--seconds", "\(seconds)",
        ]
          + [bench.file("d@.wav")]),
    ]
  }

  /// What a minute costs.
  private static func cost(of program: Program, _ seconds: Int) throws -> Double {
    let cost = try program.cost()
    guard cost.status == 0 else {
      throw Program.Failure(
        description: "\(program.arguments.joined(separator: " ")) failed (\(cost.status))")
    }
    return cost.seconds * 60 / Double(seconds)
  }

  /// The first peer is the measure; the third one has to be dearer.
  private static func findings(_ peers: [Peer], _ costs: [Double], _ seconds: Int) -> [Finding] {
    var findings = zip(peers, costs).dropLast().map { peer, cost in
      Finding(name: "60 s by \(peer.name)", value: cost, unit: "s CPU")
    }
    let remark = seconds == 60 ? "" : "from \(seconds) s"
    findings.append(
      Finding(
        name: "60 s by \(peers[3].name), against the first", value: costs[3], unit: "s CPU",
        bound: costs[0], remark: remark))
    findings.append(
      Finding(
        name: "60 s by \(peers[3].name), against SoX", value: costs[3], unit: "s CPU",
        bound: costs[2], isBelow: true, remark: remark))
    return findings
  }
}
