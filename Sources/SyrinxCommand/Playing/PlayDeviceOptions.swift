import ArgumentParser
import AudioCore
import AudioPlayerClient

/// The options of `syrinx play` that say how its device is opened.
struct PlayDeviceOptions: ParsableArguments {
  @Flag(
    help: """
      Let the device hold 15 ms of sound, not 100 or more: what it is told is heard at once, and the \
      machine wakes more often.
      """)
  var lowLatency = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Open the device at this rate, 1000 to 768000, where it has it (--verbose tells), and not at \
      the first file's.
      """, valueName: "hertz"))
  var rate: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --rate: how many channels to open it with, 1 to 32 (2).", valueName: "count"))
  var channels: Int?

  var latency: PlaybackLatency { lowLatency ? .low : .normal }

  /// Nil for what suits the first file.
  var format: AudioFormat? {
    rate.map { AudioFormat(sampleRate: SampleRate(hertz: $0), channelCount: channels ?? 2) }
  }

  func validate() throws {
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...32, "a number of channels")
    guard rate != nil || channels == nil else {
      throw ValidationError("--channels goes with --rate; give that as well.")
    }
  }
}
