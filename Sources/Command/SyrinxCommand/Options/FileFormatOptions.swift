import ArgumentParser
import AudioCore
import FilePaths
import SoundFile

/// Throws if the file's extension belongs to no format that can be written.
func checkExtension(of file: FilePath, option: String = "") throws {
  do {
    _ = try SoundFileEncoding(pathExtension: file.pathExtension)
  } catch {
    throw ValidationError("\(option)\(file): \(error).")
  }
}

/// Throws if an option names a container that cannot be written.
func checkContainer(_ option: String, _ name: String?) throws {
  guard let name else { return }
  try require(
    SoundFileEncoding.Container(pathExtension: name) != nil,
    "\(option) takes wav, aiff, au, caf, flac, ogg, opus, or mp3, not \(name).")
}

/// Throws if `--bits` names no sample format.
func checkBits(_ bits: String?) throws {
  guard let bits else { return }
  try require(
    SoundFileEncoding.SampleFormat(bits: bits) != nil,
    "--bits takes 16, 24, 32, or float, not \(bits).")
}

extension SoundFileEncoding.SampleFormat {
  /// Creates the sample format for a value of `--bits`; nil for an invalid value.
  init?(bits: String) {
    self.init(rawValue: bits == "float" ? bits : "int\(bits)")
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
    try checkContainer("--format", format)
    try checkBits(bits)
  }

  /// Throws if `file` cannot have the format that the options request; `-` is standard output.
  func check(for file: FilePath, extension name: String) throws {
    if file == "-" {
      try require(
        format.flatMap(Container.init(pathExtension:)) ?? .wav == .wav,
        "standard output (-) takes wav, or samples with --raw, not \(format ?? "").")
    } else {
      try require(!raw, "--raw requires standard output (-); give a file a format.")
      let container = try container(extension: name)
      try require(
        samples.map(container.sampleFormats.contains) ?? true,
        "\(container) files cannot store --bits \(bits ?? "").")
    }
  }

  /// Returns the encoding for a file with this extension; nil to use the default encoding of the
  /// extension.
  func encoding(extension name: String) throws -> SoundFileEncoding? {
    guard format != nil || bits != nil else { return nil }
    return try SoundFileEncoding(container(extension: name), samples: samples)
  }

  /// The sample format of `--bits`, or nil.
  var samples: SoundFileEncoding.SampleFormat? {
    bits.flatMap(SoundFileEncoding.SampleFormat.init(bits:))
  }

  private typealias Container = SoundFileEncoding.Container

  /// Returns the container of `--format`, whose values are file extensions, or else the container
  /// of the extension `name`.
  private func container(extension name: String) throws -> Container {
    try format.flatMap(Container.init(pathExtension:))
      ?? SoundFileEncoding(pathExtension: name).container
  }
}
