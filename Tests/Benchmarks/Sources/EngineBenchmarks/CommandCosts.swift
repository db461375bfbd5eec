import BenchmarkTools
import Foundation

/// Measures the CPU time that commands need to play or record for a minute: directly on a card, and
/// through a PulseAudio server.
///
/// All commands run at the same time and in real time, so that disturbances of the machine affect
/// all of them equally.
enum CommandCosts {
  private struct Peer {
    var name: String
    var arguments: [String]
    var isServed = false
  }

  private static let format = ["-f", "S16_LE", "-r", "48000", "-c", "2"]
  private static let device = ["-D", "syrinxtest"]

  @Sendable static func measure(on bench: Workbench) throws -> [Finding] {
    let seconds = Options.number("--seconds", or: 60)
    let playing = players(try bench.sound(seconds: seconds))
    let recording = recorders(bench, seconds)
    let served = servedPlayers(try bench.sound(seconds: seconds))
    let server = try PulseServer(in: bench)
    defer { server.stop() }
    // Each command runs twice, and the smaller cost counts.
    let started = try (0..<2).map { round in
      try (playing + recording + served).map { peer in
        let device = ["AUDIODRIVER": "alsa", "AUDIODEV": peer.isServed ? "pulse" : "syrinxtest"]
        return try Program(
          peer.arguments.map { $0.replacingOccurrences(of: "@", with: "\(round)") },
          variables: device.merging(peer.isServed ? server.variables : [:]) { $1 })
      }
    }
    let costs = try started.map { try $0.map { try cost(of: $0, seconds) } }
    let least = zip(costs[0], costs[1]).map(min)
    let (onCard, throughServer) = (least.dropLast(served.count), least.suffix(served.count))
    return findings(playing, Array(onCard.prefix(playing.count)), seconds)
      + findings(recording, Array(onCard.dropFirst(playing.count)), seconds)
      + findings(served, Array(throughServer), seconds, atMost: 1.5)
  }

  private static func players(_ sound: String) -> [Peer] {
    [
      Peer(
        name: "aplay, period 25 ms × 4",
        arguments: ["aplay", "-q", "--period-time=25000", "--buffer-time=100000"] + device
          + [sound]),
      Peer(name: "aplay with its defaults", arguments: ["aplay", "-q"] + device + [sound]),
      Peer(name: "SoX play", arguments: ["play", "-q", sound]),
      Peer(
        name: "syrinx play",
        arguments: [Program.syrinx, "play", "--device", "syrinxtest", sound]),
    ]
  }

  /// Returns the players that use the PulseAudio server, each with its own default buffer size.
  private static func servedPlayers(_ sound: String) -> [Peer] {
    [
      Peer(
        name: "aplay through PulseAudio", arguments: ["aplay", "-q", "-D", "pulse", sound],
        isServed: true),
      Peer(
        name: "SoX play through PulseAudio", arguments: ["play", "-q", sound], isServed: true),
      Peer(
        name: "syrinx play through PulseAudio",
        arguments: [Program.syrinx, "play", "--device", "pulse", sound], isServed: true),
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
        name: "arecord with its defaults",
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
          Program.syrinx, "record", "--device", "syrinxtest", "--seconds", "\(seconds)",
        ]
          + [bench.file("d@.wav")]),
    ]
  }

  /// Waits for the end of a program and returns its cost for a minute.
  private static func cost(of program: Program, _ seconds: Int) throws -> Double {
    let cost = try program.cost()
    guard cost.status == 0 else {
      throw Program.Failure(
        description: "\(program.arguments.joined(separator: " ")) failed (\(cost.status))")
    }
    return cost.seconds * 60 / Double(seconds)
  }

  /// Returns the findings for the commands; ours is the last, and SoX is the second to last.
  ///
  /// Our command may need at most `factor` times the cost of the first command, and less than SoX.
  private static func findings(
    _ peers: [Peer], _ costs: [Double], _ seconds: Int, atMost factor: Double = 1
  ) -> [Finding] {
    var findings = zip(peers, costs).dropLast().map { peer, cost in
      Finding(name: "60 s by \(peer.name)", value: cost, unit: "s CPU")
    }
    let remark = seconds == 60 ? "" : "from \(seconds) s"
    let (ours, last) = (peers[peers.count - 1], peers.count - 1)
    findings.append(
      Finding(
        name: "60 s by \(ours.name), against the first", value: costs[last], unit: "s CPU",
        bound: factor * costs[0], remark: remark))
    findings.append(
      Finding(
        name: "60 s by \(ours.name), against SoX", value: costs[last], unit: "s CPU",
        bound: costs[last - 1], isBelow: true, remark: remark))
    return findings
  }
}

/// The PulseAudio server of `Tests/Support/pulse.sh`.
private struct PulseServer {
  /// The environment variables that make programs use the server.
  let variables: [String: String]
  private let folder: String

  init(in bench: Workbench) throws {
    folder = bench.file("pulse")
    let output = try Program.output(["bash", Workbench.pulseScript, "start", folder])
    let pairs = output.split(separator: "\n").map { line in
      line.trimmingPrefix("export ").split(separator: "=", maxSplits: 1).map(String.init)
    }
    variables = Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
  }

  func stop() {
    _ = try? Program.run(["bash", Workbench.pulseScript, "stop", folder])
  }
}
