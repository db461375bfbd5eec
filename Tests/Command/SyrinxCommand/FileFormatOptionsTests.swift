import ArgumentParser
import AudioCore
import FilePaths
import Testing

@testable import SyrinxCommand

struct FileFormatOptionsTests {
  @Test
  func `without options the extension selects the format`() throws {
    let options = try FileFormatOptions.parse([])
    #expect(try options.encoding(extension: "flac") == nil)
    try options.check(for: "a.flac", extension: "flac")
  }

  @Test
  func `--format and --bits override the extension`() throws {
    let options = try FileFormatOptions.parse(["--format", "ogg"])
    #expect(try options.encoding(extension: "wav") == .oggVorbis)
    let bits = try FileFormatOptions.parse(["--bits", "24"])
    #expect(try bits.encoding(extension: "wav") == .wav24)
  }

  @Test(arguments: ["wav", "WAV", "wave"])
  func `for standard output, --format accepts WAV in any spelling`(name: String) throws {
    try FileFormatOptions.parse(["--format", name]).check(for: "-", extension: "")
  }

  @Test(arguments: [["--format", "mp5"], ["--bits", "12"]])
  func `an unknown format or sample format is refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try FileFormatOptions.parse(arguments) }
  }

  @Test(
    arguments: [
      (["--raw"], "a.wav"), (["--format", "flac"], "-"), (["--bits", "float"], "a.flac"),
      (["--bits", "16"], "a.opus"),
    ])
  func `format options that exclude each other are refused`(arguments: [String], file: String)
    throws
  {
    let options = try FileFormatOptions.parse(arguments)
    let name = String(file.split(separator: ".").last ?? "")
    #expect(throws: ValidationError.self) {
      try options.check(for: FilePath(file), extension: name)
    }
  }
}
