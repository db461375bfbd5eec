import AudioCore
import Testing

@testable import SoundFile

@Suite struct SoundFileEncodingTests {
  @Test(arguments: [
    ("wav", SoundFileEncoding.wav16 as SoundFileEncoding?), ("WAV", .wav16), ("flac", .flac16),
    ("ogg", .oggVorbis),
    ("opus", .opus), ("aif", SoundFileEncoding(.aiff)), ("au", SoundFileEncoding(.au)),
    ("caf", SoundFileEncoding(.caf)), ("MP3", .mp3),
  ])
  func `the path extension determines the encoding`(name: String, encoding: SoundFileEncoding?)
    throws
  {
    #expect(try SoundFileEncoding(pathExtension: name) == encoding)
  }

  @Test func `every listed path extension is recognized`() throws {
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
  func `for Opus, a rate is rounded up to a supported rate, to at most 48 kHz`(
    rate: SampleRate, supported: SampleRate
  ) {
    #expect(SoundFileEncoding.opus.supportedRate(for: rate) == supported)
    #expect(SoundFileEncoding.wav16.supportedRate(for: rate) == rate)
  }

  @Test func `every container supports exactly its listed sample formats`() {
    for container in SoundFileEncoding.Container.allCases {
      for samples in SoundFileEncoding.SampleFormat.allCases {
        let isListed = container.sampleFormats.contains(samples)
        #expect(((try? SoundFileEncoding(container, samples: samples)) != nil) == isListed)
      }
      #expect(SoundFileEncoding(container).samples == container.sampleFormats.first)
    }
    #expect(SoundFileEncoding.allCases.count == 21)
  }

  @Test func `headers are updated during writing only in WAV, AIFF, AU, and CAF files`() {
    let touched = SoundFileEncoding.allCases.filter(\.updatesHeader).map(\.container)
    #expect(Set(touched) == [.wav, .aiff, .au, .caf])
  }

  @Test func `containers and sample formats have human-readable names`() {
    #expect("\(SoundFileEncoding.wav24)" == "WAV, 24 bit")
    #expect("\(SoundFileEncoding.mp3)" == "MP3")
  }
}
