public import AudioCore
import AudioThreads
public import FoundationEssentials
public import Loudness
public import SoundFile

/// A conversion of sound files: joined or mixed, cut, resampled, faded, normalized, and split.
///
/// Set the properties to change, then call `run`. Unset properties keep the source's values;
/// samples of up to 24 bits and float samples are then copied bit for bit. TPDF dither is added
/// only when samples are rounded to 16 bits.
///
/// The order of the steps is: start and end, channels and rate, silence, gain, fades, limiter,
/// parts. Decoding, conversion, and encoding each have a thread. Memory does not grow with the
/// length of the audio.
public struct AudioConversion: Sendable {
  /// A source of audio.
  public enum Source: Hashable, Sendable {
    /// A file; a named pipe is read as a stream.
    case file(URL)
    /// A descriptor that stays open, for example 0 for standard input.
    case descriptor(Int32, name: String)
  }

  /// A destination of audio.
  public enum Destination: Sendable {
    /// A file that appears when it is complete; it may be one of the sources.
    case file(URL)
    /// A file for each part, counted from 1; without `division` there is one part.
    case parts(@Sendable (_ number: Int) -> URL)
    /// A descriptor, for example 1 for standard output.
    ///
    /// The container must be streamable. If `isRaw` is true, the output is a WAV file without its
    /// header.
    case descriptor(Int32, name: String, isRaw: Bool)
  }

  /// A way to combine several sources.
  public enum Combination: Hashable, Sendable {
    /// The sources follow one another, without a gap.
    case joined
    /// The sources are mixed at their highest rate and with their most channels.
    ///
    /// All samples are divided by the number of sources, so the sum does not clip.
    case mixed
  }

  /// The target level of the audio.
  public enum Normalization: Hashable, Sendable {
    /// The target level of the highest sample.
    case peak(Decibels)
    /// The integrated loudness. A limiter keeps true peaks at or below −1 dBTP, the maximum of EBU
    /// R 128, so the result may be quieter.
    case loudness(LoudnessLevel)
  }

  /// A rule that divides the audio into several files.
  public enum Division: Hashable, Sendable {
    /// A new file begins after each interval of this length.
    case every(Duration)
    /// A new file begins at silence; the silence between the parts is removed except for its
    /// margins.
    case silence(SilencePolicy)
  }

  /// The sources, at least one.
  public var sources: [Source]
  /// The format of sources without a header; nil if every source has a header, or one of the
  /// extensions that `RawAudioFormat.init(pathExtension:)` accepts.
  public var raw: RawAudioFormat?
  /// The destination of the result.
  public var destination: Destination
  /// The combination of several sources.
  public var combination = Combination.joined
  /// The container; nil to derive it from the path extension.
  public var container: SoundFileEncoding.Container?
  /// The sample format; nil to keep the first source's format if the container can store it.
  public var samples: SoundFileEncoding.SampleFormat?
  /// The sample rate; nil to keep the first source's rate.
  ///
  /// If the encoding does not support that rate, the result has the rate that
  /// `SoundFileEncoding.supportedRate(for:)` returns.
  public var sampleRate: SampleRate?
  /// The number of channels; nil to keep the first source's number, up to the encoding's maximum.
  public var channelCount: Int?
  /// The start of the audio on the common timeline of all sources.
  public var start = Duration.zero
  /// The end of the audio; nil to continue to the end of the sources.
  public var end: Duration?
  /// The silence to remove; nil to remove none.
  public var trimming: SilencePolicy?
  /// The gain to apply before `normalization`.
  public var gain = Decibels(0)
  /// The target level; nil to leave the level unchanged.
  ///
  /// Normalization reads the sources twice, so they must be files.
  public var normalization: Normalization?
  /// The duration of the fade-in from silence.
  public var fadeIn = Duration.zero
  /// The duration of the fade-out to silence.
  public var fadeOut = Duration.zero
  /// The division into files; nil to write one file.
  public var division: Division?
  /// Whether to keep the first source's tags, pictures, and WAV chunks, and the cues and chapters
  /// of all joined sources.
  ///
  /// Cues, chapters, and chunk positions move with the audio; they are lost if silence is removed.
  /// `normalization` recomputes the tags of ReplayGain and R 128, and `gain` adjusts them. The cues
  /// of a source that is a stream are lost, unless it is the first source.
  public var keepsMetadata = true
  /// The tags that replace those of the sources; a tag without values is removed.
  public var tags: [AudioTag: [String]] = [:]
  /// The picture that replaces all pictures of its kind; nil to keep them.
  public var cover: AudioPicture?

  /// Creates a conversion that changes only the encoding.
  public init(_ sources: [Source], to destination: Destination) {
    precondition(!sources.isEmpty, "a conversion has at least 1 source")
    (self.sources, self.destination) = (sources, destination)
  }

  /// Converts the sources and returns when every file is complete.
  ///
  /// A complete file replaces an existing file of its name. A failure or cancellation leaves the
  /// existing file unchanged, and keeps the completed parts. A truncated source is reported in
  /// `shortfalls`, or is an error if the result would replace a source.
  ///
  /// - Parameter progress: called after each block with the completed work, on a thread of the
  ///   conversion.
  /// - Throws: `SoundFileError`, `ResamplingError`, `ConversionError`, and `CancellationError`.
  public func run(
    progress: @escaping @Sendable (ConversionProgress) -> Void = { _ in }
  ) async throws -> ConversionResult {
    let run = ConversionRun(self, interruption: try WakeUp(), progress: progress)
    return try await DedicatedThread.runToEnd(
      name: "syrinx-convert", interrupt: { run.cancel() }, { try run.convert() })
  }
}

/// The progress of a conversion.
public struct ConversionProgress: Hashable, Sendable {
  /// The duration of the converted audio.
  ///
  /// With `normalization`, the audio is read twice, and `position` advances at half speed.
  public let position: Duration
  /// The duration of all audio; nil if unknown.
  public let total: Duration?
}

/// The result of a conversion.
public struct ConversionResult: Sendable {
  /// A completed file.
  public struct File: Hashable, Sendable {
    /// The path of the output; nil for a descriptor.
    public let url: URL?
    /// The number of frames.
    public let frameCount: FrameCount
  }

  /// The files, in order; empty if all audio was silent and was removed.
  public let files: [File]
  /// The sample rate and channels of all files.
  public let format: AudioFormat
  /// The container and sample format of all files.
  public let encoding: SoundFileEncoding
  /// The peak of the result; if it exceeds 0 dBFS, integer samples were clipped.
  public let peak: Decibels
  /// The gain that `normalization` applied.
  public let gain: Decibels
  /// The lowest gain of a loudness normalization's limiter; 0 dB if nothing was limited.
  public let limiterGain: Decibels
  /// The loudness of the limited audio; nil if no limiter was used.
  public let limitedLoudness: LoudnessLevel?
  /// The missing audio of truncated sources.
  public let shortfalls: [Shortfall]
  /// Notices about the sources; no audio is missing because of them.
  public let notices: [Notice]
  /// The sources' metadata that the outputs lack.
  public let omissions: [SoundFileNotice]
  /// The loss of bits per sample, if no sample format was chosen.
  public let reduction: BitReduction?
  /// Whether mixed sources differ in sample rate or number of channels.
  public let mixesFormats: Bool
  /// The number of samples that were NaN or infinite and became silence.
  public let silencedSampleCount: Int

  /// The missing audio of a source.
  public struct Shortfall: Equatable, Sendable {
    /// The source.
    public let source: AudioConversion.Source
    /// The audio missing at the end of the source.
    public let shortfall: SoundFileShortfall
  }

  /// A notice about a source.
  public struct Notice: Hashable, Sendable {
    /// The source.
    public let source: AudioConversion.Source
    /// The notice.
    public let notice: SoundFileNotice
  }

  /// A reduction of the number of bits per sample.
  public struct BitReduction: Hashable, Sendable {
    /// The highest number of bits per sample in the sources.
    public let stored: Int
    /// The number of bits per sample in the result.
    public let kept: Int
  }

  /// Whether samples were clipped.
  ///
  /// Float samples, MP3, Ogg Vorbis, and Opus keep peaks beyond full scale.
  public var isClipped: Bool {
    guard let samples = encoding.samples, samples != .float else { return false }
    return peak > Decibels(0)
  }
}

/// The reason that audio could not be converted; files and resampling have their own error types.
public enum ConversionError: Error, Equatable, CustomStringConvertible {
  /// Normalization reads a source twice, but a stream can be read only once.
  case cannotReadTwice(name: String)
  /// The requested start is after the end of the audio.
  case startAfterEnd(start: Duration, end: Duration)
  /// The audio is not silent, but too short or too quiet for a loudness measurement.
  case noLoudness(name: String)
  /// A part would replace one of the sources.
  case partIsSource(name: String)
  /// A source is truncated, and the result would replace a source.
  case incompleteSource(name: String, shortfall: SoundFileShortfall)
  /// The disk is full; no part of the file is left.
  case diskFull(name: String)
  /// The container cannot be written to a descriptor, or raw samples were requested for a container
  /// other than WAV.
  case notStreamable(SoundFileEncoding.Container)

  /// A sentence for users.
  public var description: String {
    switch self {
    case .cannotReadTwice(let name):
      "cannot normalize \(name): it is a stream, which can be read only once. Save it to a file first"
    case .startAfterEnd(let start, let end):
      "cannot start at \(start.secondsText): the audio ends at \(end.secondsText)"
    case .noLoudness(let name):
      "\(name) has no loudness: it is shorter than 0.4 s or below −70 LUFS"
    case .partIsSource(let name):
      "cannot write the part \(name): it is one of the inputs. Choose another name for the parts"
    case .incompleteSource(let name, let shortfall):
      "\(name) is incomplete: \(shortfall). The output is one of the inputs and was left as it is; "
        + "choose another name for the output to convert the remaining audio"
    case .diskFull(let name):
      "no space is left on the disk for \(name); this file was not written"
    case .notStreamable(let container):
      container.isStreamable
        ? "cannot write \(container) without a header; leave out the container"
        : "cannot write \(container) to a pipe: its length precedes the audio. Choose WAV, AU, FLAC, "
          + "Ogg Vorbis, Opus, or MP3, or write a file"
    }
  }
}
