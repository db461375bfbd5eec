import ArgumentParser
import AudioCore
import FilePaths
import SpeechClient

/// The options for the channels to recognize, and their speakers.
struct ChannelOptions: ParsableArguments {
  @Option(
    help: .value(
      "channels",
      """
      Channels to recognize: mix (all as one; default), separate (a speaker in each channel), or the \
      number of a channel, from 1.
      """), completion: .list(["mix", "separate"]),
    transform: SpeechRequest.Channels.init(argument:))
  var channels: SpeechRequest.Channels?

  @Option(
    help: .value(
      "names",
      "With --channels separate, names of the speakers, such as agent,caller (default: Left,Right)."
    ),
    transform: Self.names)
  var speakers: [String]?

  func validate() throws {
    try require(
      speakers == nil || channels == .separate, "--speakers requires --channels separate.")
  }

  /// Reads the value of `--speakers`.
  private static func names(_ argument: String) throws -> [String] {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    try require(
      names.allSatisfy { $0.contains { !$0.isWhitespace } && $0.isPlain },
      "give a name for each channel, separated by commas, such as agent,caller.")
    return names
  }

  /// The name of each channel's speaker in transcripts.
  var speakerNames: SpeakerNames { SpeakerNames(names: speakers ?? []) }
}

/// The names of the speakers in a recording with a speaker in each channel.
struct SpeakerNames {
  private static let usual = ["Left", "Right"]

  /// The names in the order of the channels; channels without a name are called `Left`, `Right`, and
  /// `Channel 3`.
  var names: [String] = []

  /// Returns the name of the speaker of a result; nil if it belongs to no channel.
  func name(of result: SpeechRecognitionResult) -> String? {
    result.channel.map { channel in
      let known = names + Self.usual.dropFirst(names.count)
      return known.indices.contains(channel) ? known[channel] : "Channel \(channel + 1)"
    }
  }
}

extension SpeechRequest.Channels {
  /// Reads the value of `--channels`.
  init(argument: String) throws {
    switch argument {
    case "mix": self = .mixed
    case "separate": self = .separate
    default:
      guard let number = Int(argument), (1...64).contains(number) else {
        throw ValidationError("give mix, separate, or the number of a channel, 1 to 64.")
      }
      self = .only(number - 1)
    }
  }

  /// The value of `--channels`.
  var argument: String {
    switch self {
    case .mixed: "mix"
    case .separate: "separate"
    case .only(let channel): "\(channel + 1)"
    }
  }
}

/// Compares the two channels of a file's first minute, to find recordings with a speaker in each
/// channel.
struct ChannelComparison {
  private static let length = Duration.seconds(60)
  /// The shortest audio that is compared.
  private static let shortest = Duration.seconds(2)
  /// The least RMS level of each channel: -60 dBFS.
  private static let leastPower = 1e-6
  /// The correlation below which channels differ.
  ///
  /// That of music and of the two microphones of one room is higher.
  private static let mostCorrelation = 0.2

  private var (left, right, product) = (0.0, 0.0, 0.0)
  private var frameCount = 0
  private var length = Duration.zero
  /// Whether the audio has two channels in all buffers so far.
  private var isStereo = true

  /// Whether more audio does not change the comparison.
  var isComplete: Bool { !isStereo || length >= Self.length }

  /// Whether both channels have sound, and different sound.
  var differs: Bool {
    guard isStereo, length >= Self.shortest else { return false }
    let powers = (left / Double(frameCount), right / Double(frameCount))
    return min(powers.0, powers.1) >= Self.leastPower
      && abs(product) < Self.mostCorrelation * (left * right).squareRoot()
  }

  /// Adds the next audio.
  mutating func add(_ buffer: AudioBuffer) {
    guard !isComplete else { return }
    isStereo = buffer.format.channelCount == 2
    guard isStereo else { return }
    let samples = buffer.samples
    for index in stride(from: 0, to: samples.count, by: 2) {
      let (one, other) = (Double(samples[index]), Double(samples[index + 1]))
      left += one * one
      right += other * other
      product += one * other
    }
    frameCount += buffer.frameCount.rawValue
    length += buffer.duration
  }
}
