public import AudioCore
import AudioThreads
public import FoundationEssentials
public import Loudness
public import SoundFile

/// A conversion of sound files: joined or mixed, cut, resampled, faded, normalized, and split.
///
/// Set what is to change, then `run`. Unset properties keep the source's values; samples of up to 24
/// bits and float samples are then copied bit for bit. Noise (TPDF dither) is added only where samples
/// are rounded to 16 bits.
///
/// The steps are those of the operators in `AudioCore` and `Resampling`, in this order: start and
/// end, channels and rate, silence, gain, fades, parts. Decoding, conversion, and encoding run on a
/// thread each. Memory does not grow with the length of the audio.
public struct AudioConversion: Sendable {
  /// Where audio comes from.
  public enum Source: Hashable, Sendable {
    /// A file; a named pipe is read as a stream.
    case file(URL)
    /// A descriptor that stays open for its owner, for example 0 for standard input.
    case descriptor(Int32, name: String)
  }

  /// Where audio goes to.
  public enum Destination: Sendable {
    /// A file, which appears when it is complete; it may be one of the sources.
    case file(URL)
    /// A file for each part, counted from 1; without `division` there is one part.
    case parts(@Sendable (_ number: Int) -> URL)
    /// A descriptor, for example 1 for standard output: WAV, or samples without a header.
    case descriptor(Int32, name: String, isRaw: Bool)
  }

  /// How several sources become one.
  public enum Combination: Hashable, Sendable {
    /// One after another, without a gap.
    case joined
    /// All at once, each divided by the number of sources so that the sum does not clip.
    case mixed
  }

  /// The level that the audio is brought to.
  public enum Normalization: Hashable, Sendable {
    /// The level of the highest sample.
    case peak(Decibels)
    /// The integrated loudness; samples beyond full scale are clipped, except those of float files.
    case loudness(LoudnessLevel)
  }

  /// Where the audio is cut into several files.
  public enum Division: Hashable, Sendable {
    /// After each interval of this length.
    case every(Duration)
    /// Where it is silent; the silence between the parts is left out but for its margins.
    case silence(SilencePolicy)
  }

  /// At least one.
  public var sources: [Source]
  /// Where the result goes.
  public var destination: Destination
  /// How several sources become one.
  public var combination = Combination.joined
  /// The container; nil for that of the file name's extension.
  public var container: SoundFileEncoding.Container?
  /// The samples; nil for those of the first source, where the container can store them.
  public var samples: SoundFileEncoding.SampleFormat?
  /// The rate; nil for that of the first source, or the next one that the encoding can have.
  public var sampleRate: SampleRate?
  /// The number of channels; nil for that of the first source, or the most that the encoding can have.
  public var channelCount: Int?
  /// Where the audio begins, on the time-line of all sources together.
  public var start = Duration.zero
  /// Where it ends; nil for the end of the sources.
  public var end: Duration?
  /// The silence that is left out; nil for none.
  public var trimming: SilencePolicy?
  /// The change of level, before `normalization`, in decibels.
  public var gain = Decibels(dBFS: 0)
  /// The level to reach; nil for no change.
  ///
  /// The sources are read twice for it, so they must be files.
  public var normalization: Normalization?
  /// The length of the fade from silence at the start.
  public var fadeIn = Duration.zero
  /// The length of the fade to silence at the end.
  public var fadeOut = Duration.zero
  /// How the audio is cut into files; nil for one file.
  public var division: Division?

  /// A conversion that changes nothing but the encoding.
  public init(_ sources: [Source], to destination: Destination) {
    precondition(!sources.isEmpty, "a conversion has at least 1 source")
    (self.sources, self.destination) = (sources, destination)
  }

  /// Converts, and returns when every file is complete.
  ///
  /// A file appears when it is complete, and what had its name before is replaced then: what fails or
  /// is cancelled leaves that as it was. Of several parts, those that are complete stay.
  ///
  /// - Parameter progress: is called after each block with the work done so far, on a thread of the
  ///   conversion.
  /// - Throws: `SoundFileError`, `ResamplingError`, `ConversionError`, and `CancellationError`.
  public func run(
    progress: @escaping @Sendable (ConversionProgress) -> Void = { _ in }
  ) async throws -> ConversionResult {
    let run = ConversionRun(self, interruption: try WakeUp(), progress: progress)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          _ = try DedicatedThread.start(name: "syrinx-convert") {
            continuation.resume(with: Result { try run.convert() })
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      run.cancel()
    }
  }
}

/// How much of a conversion is done.
public struct ConversionProgress: Hashable, Sendable {
  /// The audio that has been converted; with `normalization`, half as fast.
  public let position: Duration
  /// The audio that there is; nil where it is not known.
  public let total: Duration?
}

/// What a conversion has made.
public struct ConversionResult: Sendable {
  /// A file that is complete.
  public struct File: Hashable, Sendable {
    /// Where it is; nil for a descriptor.
    public let url: URL?
    /// Its length.
    public let frameCount: FrameCount
  }

  /// The files, in their order; none where all was silence that was left out.
  public let files: [File]
  /// Rate and channels of all files.
  public let format: AudioFormat
  /// Container and samples of all files.
  public let encoding: SoundFileEncoding
  /// The highest sample; above 0 dBFS, samples that are not float were clipped.
  public let peak: Decibels
  /// What `normalization` added to the level.
  public let gain: Decibels
  /// The sources that were truncated, and what is missing in them.
  public let shortfalls: [Shortfall]
  /// The samples that were NaN or infinite and were replaced by silence.
  public let silencedSampleCount: Int

  /// What is missing in a source.
  public struct Shortfall: Equatable, Sendable {
    /// The source.
    public let source: AudioConversion.Source
    /// What is missing at its end.
    public let shortfall: SoundFileShortfall
  }

  /// Whether samples were clipped.
  public var isClipped: Bool { encoding.samples != .float && peak > Decibels(dBFS: 0) }
}

/// Why audio could not be converted; files and rates have errors of their own.
public enum ConversionError: Error, Equatable, CustomStringConvertible {
  /// A stream can be read once, and normalization reads it twice.
  case readTwice(name: String)
  /// The audio ends before the start.
  case startAfterEnd(start: Duration, end: Duration)
  /// The audio is not silent, but too short or too quiet to have a loudness.
  case noLoudness(name: String)
  /// A part would replace one of the sources.
  case partIsSource(name: String)
  /// The disk is full; nothing of the file is left.
  case diskFull(name: String)
  /// A descriptor takes only WAV.
  case notStreamable(SoundFileEncoding.Container)

  /// A sentence for people.
  public var description: String {
    switch self {
    case .readTwice(let name):
      "cannot normalize \(name): it is a stream, which can be read only once. Save it to a file first"
    case .startAfterEnd(let start, let end):
      "cannot start at \(start.secondsText): the audio ends at \(end.secondsText)"
    case .noLoudness(let name):
      "\(name) has no loudness: it is shorter than 0.4 s or below −70 LUFS"
    case .partIsSource(let name):
      "cannot write the part \(name): it is one of the inputs. Choose another name for the parts"
    case .diskFull(let name):
      "no space is left on the disk for \(name); this file was not written"
    case .notStreamable(let container):
      "cannot write \(container) to a pipe: its header is completed at the end. Write WAV, or a file"
    }
  }
}
