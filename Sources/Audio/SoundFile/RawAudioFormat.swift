public import AudioCore
import CSndFile

/// The format of audio without a header, such as that of a telephone system.
public struct RawAudioFormat: Hashable, Sendable {
  /// An encoding of audio without a header.
  public enum Coding: String, Hashable, Sendable, CaseIterable {
    /// 16-bit integers, little-endian.
    case int16 = "s16"
    /// 24-bit integers in three bytes, little-endian.
    case int24 = "s24"
    /// 32-bit integers, little-endian.
    case int32 = "s32"
    /// 32-bit floating point, little-endian.
    case float
    /// µ-law of G.711, a byte for each sample.
    case ulaw
    /// A-law of G.711, a byte for each sample.
    case alaw
    /// GSM 6.10, mono, 33 bytes for 160 samples.
    case gsm
    /// G.722, mono, at 16 kHz and 64 kbit/s; it requires FFmpeg.
    case g722
  }

  /// The encoding.
  public let coding: Coding
  /// The sample rate and the number of channels.
  public let format: AudioFormat

  /// Creates a format; nil stands for the encoding's usual rate or number of channels.
  ///
  /// PCM is usually 48 kHz and stereo, G.722 is 16 kHz and mono, and other telephone codecs are
  /// 8 kHz and mono.
  public init(_ coding: Coding, sampleRate: SampleRate? = nil, channelCount: Int? = nil) {
    self.coding = coding
    format = AudioFormat(
      sampleRate: sampleRate ?? (coding == .g722 ? 16_000 : coding.isTelephony ? 8_000 : 48_000),
      channelCount: channelCount ?? (coding.isTelephony ? 1 : 2))
  }

  /// Creates the format that a path extension stands for; case is ignored.
  ///
  /// It is µ-law for `ul`, A-law for `al`, 16-bit integers at 8 kHz and mono for `sln`, GSM 6.10 for
  /// `gsm`, and G.722 for `g722`; nil for any other extension.
  public init?(pathExtension: String) {
    switch pathExtension.lowercased() {
    case "ul": self.init(.ulaw)
    case "al": self.init(.alaw)
    case "sln": self.init(.int16, sampleRate: 8_000, channelCount: 1)
    case "gsm": self.init(.gsm)
    case "g722": self.init(.g722)
    default: return nil
    }
  }

  /// The reason that the encoding does not have this rate or number of channels; nil if it does.
  public var problem: String? {
    guard (1...768_000).contains(format.sampleRate.hertz), (1...256).contains(format.channelCount)
    else { return "raw audio has 1 to 256 channels at 1 to 768000 Hz, not \(format)" }
    if coding == .g722, format != RawAudioFormat(.g722).format {
      return "G.722 has 1 channel at 16000 Hz, not \(format)"
    }
    guard coding == .gsm, format.channelCount != 1 else { return nil }
    return "GSM 6.10 has 1 channel, not \(format.channelCount)"
  }
}

extension RawAudioFormat.Coding {
  fileprivate var isTelephony: Bool { [.ulaw, .alaw, .gsm, .g722].contains(self) }

  /// The corresponding C constants; G.722 has none.
  fileprivate var libraryFormat: Int {
    switch self {
    case .int16: SF_FORMAT_PCM_16
    case .int24: SF_FORMAT_PCM_24
    case .int32: SF_FORMAT_PCM_32
    case .float: SF_FORMAT_FLOAT
    case .ulaw: SF_FORMAT_ULAW
    case .alaw: SF_FORMAT_ALAW
    case .gsm: SF_FORMAT_GSM610
    case .g722: 0
    }
  }
}

extension RawAudioFormat {
  /// The size in bytes of a frame, or of a block of a codec.
  var blockSize: Int {
    switch coding {
    case .int16: 2 * format.channelCount
    case .int24: 3 * format.channelCount
    case .int32, .float: 4 * format.channelCount
    case .ulaw, .alaw, .g722: format.channelCount
    case .gsm: 33
    }
  }

  /// The kind of a file or stream without a header.
  var kind: FileKind {
    switch coding {
    case .g722: FileKind("G.722 audio", .ffmpeg, demuxers: ["g722"])
    case .gsm: FileKind("GSM 6.10 audio", .seeking)
    default: FileKind("raw audio", .streaming)
    }
  }
}

extension SF_INFO {
  /// Describes a file without a header to libsndfile.
  init(_ raw: RawAudioFormat) {
    self.init(
      frames: 0, samplerate: Int32(clamping: raw.format.sampleRate.hertz),
      channels: Int32(clamping: raw.format.channelCount),
      format: Int32(SF_FORMAT_RAW | SF_ENDIAN_LITTLE | raw.coding.libraryFormat), sections: 0,
      seekable: 0)
  }
}
