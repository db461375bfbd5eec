/// The formats that recordings are written in: a container, and how the samples are coded in it.
///
/// A process that is killed leaves all but the last second of a recording, in every format but FLAC
/// below 1.6 kHz, which lacks a block of 1,152 frames and a quarter of a second.
public struct RecordingFileFormat: Hashable, Sendable {
  /// What the samples are packed into.
  public enum Container: String, Hashable, Sendable, CaseIterable {
    /// WAV, which becomes RF64 by itself past 4 GiB; extensions `wav` and `wave`.
    ///
    /// Three channels and more have a mask of their positions. Python's `wave` reads neither RF64
    /// nor float, and the mask from 3.12 on; SoX, FFmpeg and libsndfile read all of them.
    case wav
    /// AIFF, up to 4 GiB; extensions `aiff`, `aif` and `aifc`.
    case aiff
    /// Sun's and NeXT's AU; extensions `au` and `snd`.
    case au
    /// Apple's Core Audio Format; extension `caf`.
    case caf
    /// FLAC, lossless; extension `flac`.
    case flac
    /// Ogg Vorbis; extensions `ogg` and `oga`.
    case vorbis
    /// Ogg Opus, at 8, 12, 16, 24 or 48 kHz; extension `opus`.
    case opus
    /// MP3, at 16, 22.05, 24, 32, 44.1 or 48 kHz, mono or stereo; extension `mp3`.
    case mp3
  }

  /// How exact the samples are.
  public enum Samples: String, Hashable, Sendable, CaseIterable {
    /// 16-bit integers.
    case int16
    /// 24-bit integers.
    case int24
    /// 32-bit integers.
    case int32
    /// 32-bit floating point.
    case float
  }

  /// What the samples are packed into.
  public var container: Container

  /// How exact the samples are; nil for 16 bit, or what a container that is lossy does.
  public var samples: Samples?

  /// A format; a recording refuses one that does not exist.
  ///
  /// WAV, AIFF, AU and CAF hold all samples, FLAC 16 and 24 bit; the others know of none.
  public init(_ container: Container, samples: Samples? = nil) {
    self.container = container
    self.samples = samples
  }

  /// WAV, 16-bit integers; what the extension `wav` names.
  public static let wav16 = RecordingFileFormat(.wav, samples: .int16)
  /// WAV, 24-bit integers.
  public static let wav24 = RecordingFileFormat(.wav, samples: .int24)
  /// WAV, 32-bit floating point.
  public static let wavFloat = RecordingFileFormat(.wav, samples: .float)
  /// FLAC, 16 bit, lossless; extension `flac`.
  public static let flac = RecordingFileFormat(.flac, samples: .int16)
  /// Ogg Vorbis; extensions `ogg` and `oga`.
  public static let vorbis = RecordingFileFormat(.vorbis)
  /// Ogg Opus, at 8, 12, 16, 24 or 48 kHz; extension `opus`.
  public static let opus = RecordingFileFormat(.opus)
}
