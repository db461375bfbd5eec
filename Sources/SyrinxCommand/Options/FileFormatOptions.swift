import ArgumentParser
import AudioCore
import FilePaths
import SoundFile

/// What a recording is written as.
struct FileFormatOptions: ParsableArguments {
  @Option(
    help: "wav, aiff, au, caf, flac, ogg, opus or mp3; without it, what the extension names.")
  var format: String?

  @Option(help: "16, 24, 32 or float; without it, 16.")
  var bits: String?

  @Flag(help: "With -: no header, little-endian samples of --bits.")
  var raw = false

  func validate() throws {
    if let format, Container(pathExtension: format) == nil {
      throw ValidationError(
        "--format takes wav, aiff, au, caf, flac, ogg, opus or mp3, not \(format).")
    }
    if let bits, Self.samples(bits) == nil {
      throw ValidationError("--bits takes 16, 24, 32 or float, not \(bits).")
    }
  }

  /// Refuses what cannot be written to `file`; - is standard output.
  func check(for file: FilePath, extension name: String) throws {
    if file == "-" {
      guard format.flatMap(Container.init(pathExtension:)) ?? .wav == .wav else {
        throw ValidationError("- writes wav, or raw samples with --raw, not \(format ?? "").")
      }
    } else {
      guard !raw else { throw ValidationError("--raw goes with - only; give a file a format.") }
      let container = try container(extension: name)
      guard SoundFileEncoding(container, samples: samples) != nil else {
        throw ValidationError("\(container) files hold no samples of --bits \(bits ?? "").")
      }
    }
  }

  /// The format of a file with this extension; nil for what the extension names by itself.
  func fileFormat(extension name: String) -> SoundFileEncoding? {
    guard format != nil || bits != nil, let container = try? container(extension: name) else {
      return nil
    }
    return SoundFileEncoding(container, samples: samples)
  }

  /// How exact the samples are to be; nil where nothing was said.
  var samples: SoundFileEncoding.SampleFormat? { bits.flatMap(Self.samples) }

  private typealias Container = SoundFileEncoding.Container

  /// The container that `--format` names by a file extension, or that of `name`.
  private func container(extension name: String) throws -> Container {
    try format.flatMap(Container.init(pathExtension:))
      ?? SoundFileEncoding(pathExtension: name).container
  }

  private static func samples(_ bits: String) -> SoundFileEncoding.SampleFormat? {
    ["16": .int16, "24": .int24, "32": .int32, "float": .float][bits]
  }
}
