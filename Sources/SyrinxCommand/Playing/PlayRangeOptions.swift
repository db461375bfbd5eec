import ArgumentParser
import AudioPlayerClient

/// The options of `syrinx play` that say which part of each file is played, and how it begins and
/// ends.
struct PlayRangeOptions: ParsableArguments {
  private static let longest = 1e6

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where each file begins.", valueName: "seconds"))
  var start = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where each file ends; without it, at its end.", valueName: "seconds"))
  var end: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long the first file takes to be heard.", valueName: "seconds"))
  var fadeIn = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long the last file takes to fall silent; so much is held back, at most 60 s.",
      valueName: "seconds"))
  var fadeOut = 0.0

  var range: PlaybackRange {
    PlaybackRange(start: .time(.seconds(start)), end: end.map { .time(.seconds($0)) })
  }

  func validate() throws {
    try check("--start", start, in: 0...Self.longest, "seconds")
    try check("--end", end, in: 0...Self.longest, "seconds")
    try check("--fade-in", fadeIn, in: 0...3_600, "seconds")
    try check("--fade-out", fadeOut, in: 0...60, "seconds")
    if let end, end <= start {
      throw ValidationError("--end \(end) has to lie behind --start \(start).")
    }
  }
}
