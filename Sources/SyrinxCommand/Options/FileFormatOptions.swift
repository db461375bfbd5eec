import ArgumentParser
import AudioCore
import FilePaths
import SoundFile

/// Throws if no format has the file's extension.
func checkExtension(of file: FilePath, option: String = "") throws {
  do {
    _ = try SoundFileEncoding(pathExtension: file.pathExtension)
  } catch {
    throw ValidationError("\(option)\(file): \(error).")
  }
}

/// The options for the format of a recording.
struct FileFormatOptions: ParsableArguments {
  @Option(
    help: "Format: wav, aiff, au, caf, flac, ogg, opus, or mp3 (default: that of the extension).")
  var format: String?

  @Option(help: "Sample format: 16, 24, 32, or float (default: 16).")
  var bits: String?

  @Flag(help: "With -, write little-endian samples of --bits without a header.")
  var raw = false

  func validate() throws {
    if let format, Container(pathExtension: format) == nil {
      throw ValidationError(
        "--format takes wav, aiff, au, caf, flac, ogg, opus, or mp3, not \(format).")
    }
    if let bits, Self.samples(bits) == nil {
      throw ValidationError("--bits takes 16, 24, 32, or float, not \(bits).")
    }
  }

  /// Throws if `file` cannot have this format; - is standard output.
  func check(for file: FilePath, extension name: String) throws {
    if file == "-" {
      guard format.flatMap(Container.init(pathExtension:)) ?? .wav == .wav else {
        throw ValidationError(
          "standard output (-) takes wav, or samples with --raw, not \(format ?? "").")
      }
    } else {
      guard !raw else {
        throw ValidationError("--raw requires standard output (-); give a file a format.")
      }
      let container = try container(extension: name)
      guard samples.map(container.sampleFormats.contains) ?? true else {
        throw ValidationError("\(container) files cannot store --bits \(bits ?? "").")
      }
    }
  }

  /// The format of a file with this extension; nil for the one that the extension selects.
  func encoding(extension name: String) throws -> SoundFileEncoding? {
    guard format != nil || bits != nil else { return nil }
    return try SoundFileEncoding(container(extension: name), samples: samples)
  }

  /// The sample format of `--bits`, or nil.
  var samples: SoundFileEncoding.SampleFormat? { bits.flatMap(Self.samples) }

  private typealias Container = SoundFileEncoding.Container

  /// The container of `--format`, a file extension, or else that of `name`.
  private func container(extension name: String) throws -> Container {
    try format.flatMap(Container.init(pathExtension:))
      ?? SoundFileEncoding(pathExtension: name).container
  }

  private static func samples(_ bits: String) -> SoundFileEncoding.SampleFormat? {
    ["16": .int16, "24": .int24, "32": .int32, "float": .float][bits]
  }
}
