import AudioCore
import Conversion
import FilePaths
import Glibc
import SoundFile

/// Some inputs that become one output.
struct ConversionJob: Sendable {
  let inputs: [FilePath]
  let output: FilePath
  /// Nil for that of the output's extension.
  let container: SoundFileEncoding.Container?

  /// Converts; the progress is shown on a console where one is given.
  func run(
    changing options: ConversionOptions, _ metadata: MetadataOptions, isMix: Bool, isRaw: Bool,
    progress console: Console?
  ) async throws -> ConversionResult {
    var conversion = AudioConversion(
      inputs.map { $0 == "-" ? .descriptor(0, name: "standard input") : .file($0.source) },
      to: destination(splits: options.splits, isRaw: isRaw))
    conversion.container = container
    conversion.combination = isMix ? .mixed : .joined
    options.apply(to: &conversion)
    try metadata.apply(to: &conversion)
    return try await FileProgress.showing(inputs[0], on: console) { [conversion] report in
      try await conversion.run { report($0.position, $0.total) }
    }
  }

  private func destination(splits: Bool, isRaw: Bool) -> AudioConversion.Destination {
    if output == "-" { return .descriptor(1, name: "standard output", isRaw: isRaw) }
    guard splits else { return .file(output.url) }
    return .parts { [output] in output.numbered($0).url }
  }
}

extension FilePath {
  /// The name of a part: its number in place of `%d` or `%03d`, or before the extension.
  func numbered(_ number: Int) -> FilePath {
    var text = text
    for width in 0...9 {
      let placeholder = width == 0 ? "%d" : "%0\(width)d"
      guard let range = text.firstRange(of: placeholder) else { continue }
      text.replaceSubrange(range, with: number.digits(width))
      return FilePath(text)
    }
    let ending = pathExtension.isEmpty ? "" : ".\(pathExtension)"
    let name = "\(stem.text)-\(number.digits(3))\(ending)"
    return folder == "." && !text.hasPrefix("./")
      ? FilePath(name) : folder.appending(FilePath(name))
  }

  /// The file whose numbered part this is by its name: `talk.wav` for `talk-007.wav`.
  var wholeOfPart: FilePath? {
    guard let dash = stem.bytes.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let digits = stem.bytes[(dash + 1)...]
    guard digits.count >= 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return folder.appending(
      FilePath(bytes: stem.bytes[..<dash] + name.bytes[stem.bytes.count...]))
  }
}
