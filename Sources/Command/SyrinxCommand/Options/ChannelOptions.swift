import ArgumentParser
import FilePaths
import SpeechClient

/// The options for the channels to recognize, and their speakers.
struct ChannelOptions: ParsableArguments {
  @Option(
    help: .value(
      "channels",
      """
      Channels to recognize: mix (all as one; default), separate (a speaker and a decoder for each \
      of at most 16 channels), or the number of a channel, from 1.
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
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
    try require(
      !names.contains("") && !argument.unicodeScalars.contains(where: \.isControl),
      "give a name for each channel, separated by commas, such as agent,caller.")
    return names
  }

  private static func trimmed(_ text: Substring) -> String {
    let text = text.drop { $0.isWhitespace }
    return text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
  }

  /// The name of each channel's speaker in transcripts.
  var speakerNames: SpeakerNames { SpeakerNames(names: speakers ?? []) }
}

/// The names of the speakers in a recording with a speaker in each channel.
struct SpeakerNames {
  private static let usual = ["Left", "Right"]

  /// The names in the order of the channels.
  ///
  /// Channels without a name are `Left` and `Right` in stereo audio; otherwise, they are
  /// `Channel 1`, `Channel 2`, and so on.
  var names: [String] = []

  /// Returns the name of the speaker of a result; nil if it belongs to no channel.
  func name(of result: SpeechRecognitionResult) -> String? {
    result.channel.map { channel in
      let isStereo = result.channelCount ?? 2 == 2
      let known = names + (isStereo ? Self.usual.dropFirst(names.count) : [])
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
}
