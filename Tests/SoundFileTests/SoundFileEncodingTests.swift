import AudioCore
import SoundFile
import Testing

@Suite struct SoundFileEncodingTests {
  @Test(arguments: [
    ("wav", SoundFileEncoding.wav16), ("WAV", .wav16), ("flac", .flac16), ("ogg", .oggVorbis),
    ("opus", .opus),
  ])
  func `the extension chooses the encoding`(name: String, encoding: SoundFileEncoding) throws {
    #expect(try SoundFileEncoding(pathExtension: name) == encoding)
  }

  @Test func `every extension that is named as known is known`() throws {
    for name in SoundFileEncoding.pathExtensions {
      _ = try SoundFileEncoding(pathExtension: name)
    }
  }

  @Test func `an unknown extension is an error`() {
    #expect(throws: SoundFileError.unknownExtension("mp5")) {
      try SoundFileEncoding(pathExtension: "mp5")
    }
  }

  @Test(
    arguments: [
      (44_100, 48_000), (48_000, 48_000), (96_000, 48_000), (11_025, 12_000), (4_000, 8_000),
    ] as [(SampleRate, SampleRate)])
  func `Opus takes the next rate up`(rate: SampleRate, supported: SampleRate) {
    #expect(SoundFileEncoding.opus.supportedRate(for: rate) == supported)
    #expect(SoundFileEncoding.wav16.supportedRate(for: rate) == rate)
  }
}
