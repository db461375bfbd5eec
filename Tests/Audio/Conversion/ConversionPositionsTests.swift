import AudioCore
import Conversion
import Foundation
import SoundFile
import TestTools
import Testing

/// Metadata that a conversion must adjust: positions in the audio, and levels.
@Suite struct ConversionPositionsTests {
  private let folder: TestFolder
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["out.wav", "out.mp3"])
  func `the last chapter of an input ends before the next input`(name: String) async throws {
    let cues = [AudioCue(frame: 0, name: "One"), AudioCue(frame: 72_000, name: "Two")]
    try write("a.flac", AudioMetadata(cues: cues), encoding: .flac16)
    var joined = AudioConversion(
      ["a.flac", "a.flac"].map { .file(folder.file($0)) }, to: .file(folder.file(name)))
    joined.start = .milliseconds(2_200)
    _ = try await joined.run()
    // The chapters of the first input end at 2 s, and the second input begins there.
    let found = try AudioFileInfo(url: folder.file(name)).metadata.cues
    #expect(found.map(\.name) == ["One", "Two"])
    #expect(found.map(\.frame) == [0, 62_400] && found.map(\.length) == [62_400, 24_000])
  }

  @Test func `the last chapter of an MP3 file ends with the audio, even if the output is split`()
    async throws
  {
    let cues = [AudioCue(frame: 0, name: "One"), AudioCue(frame: 24_000, name: "Two")]
    try write("a.wav", AudioMetadata(cues: cues))
    var conversion = AudioConversion(
      [.file(folder.file("a.wav"))], to: .parts { [folder] in folder.file("part\($0).mp3") })
    conversion.division = .every(.milliseconds(1_500))
    _ = try await conversion.run()
    let tag = try Data(contentsOf: folder.file("part1.mp3")).prefix(1_000)
    // The end in milliseconds: 1500.
    #expect(tag.range(of: Data([0, 0, 1, 0xF4, 0, 0, 5, 0xDC])) != nil)
    let lengths = try AudioFileInfo(url: folder.file("part1.mp3")).metadata.cues.map(\.length)
    #expect(lengths == [24_000, 48_000])
  }

  @Test(
    arguments: [
      ("-6.5dB", "-3.50 dB"), (" +1.25 dB", "4.25 dB"), ("loud", nil), ("-6,5 dB", "-3.50 dB"),
      ("1e-1", "3.10 dB"), ("-6.5 or so", nil),
    ] as [(String, String?)])
  func `a gain changes ReplayGain values with any unit and removes values that are not numbers`(
    value: String, expected: String?
  ) async throws {
    let tag = AudioTag("REPLAYGAIN_TRACK_GAIN")
    try write("a.flac", AudioMetadata(tags: [tag: [value]]), encoding: .flac16)
    var conversion = conversion("a.flac", to: "out.flac")
    conversion.gain = Decibels(-3)
    let lost = try await conversion.run().omissions.map(\.description)
    #expect(try AudioFileInfo(url: folder.file("out.flac")).metadata.tags[tag]?.first == expected)
    let isReported = lost.contains {
      $0 == "left out: the tags REPLAYGAIN_TRACK_GAIN; their values are not numbers"
    }
    #expect(isReported == (expected == nil))
  }

  @Test func `normalization removes the reference loudness of the old ReplayGain`() async throws {
    let (gain, reference) = (
      AudioTag("REPLAYGAIN_TRACK_GAIN"), AudioTag("REPLAYGAIN_REFERENCE_LOUDNESS")
    )
    let tags = [gain: ["-7 dB"], reference: ["83.0 dB"]]
    try write("a.flac", AudioMetadata(tags: tags), encoding: .flac16)
    var conversion = conversion("a.flac", to: "out.flac")
    conversion.normalization = .peak(Decibels(-6))
    _ = try await conversion.run()
    let found = try AudioFileInfo(url: folder.file("out.flac")).metadata.tags
    #expect(found[gain] != nil && found[gain] != ["-7 dB"] && found[reference] == nil)
  }

  @Test func `ReplayGain tags become R128 tags in an Opus file`() async throws {
    let tags = [
      AudioTag("REPLAYGAIN_TRACK_GAIN"): ["-7.50 dB"], AudioTag("REPLAYGAIN_TRACK_PEAK"): ["0.5"],
      AudioTag("REPLAYGAIN_ALBUM_GAIN"): ["3 dB"], AudioTag("R128_ALBUM_GAIN"): ["-256"],
    ]
    try write("a.flac", AudioMetadata(tags: tags), encoding: .flac16)
    let lost = try await conversion("a.flac", to: "out.opus").run().omissions.map(\.description)
    let found = try AudioFileInfo(url: folder.file("out.opus")).metadata.tags
    #expect(
      found == [AudioTag("R128_TRACK_GAIN"): ["-3200"], AudioTag("R128_ALBUM_GAIN"): ["-256"]])
    #expect(lost == ["left out: the tags REPLAYGAIN_TRACK_PEAK; players of Opus ignore them"])
  }

  @Test func `notes, lengths, and loops in a WAV file are adjusted to a new start and rate`()
    async throws
  {
    try write("a.wav", AudioMetadata(chunks: chunks))
    var late = conversion("a.wav", to: "late.wav")
    (late.start, late.sampleRate) = (.milliseconds(500), 24_000)
    let result = try await late.run()
    #expect(result.omissions.isEmpty)
    let found = try AudioFileInfo(url: folder.file("late.wav")).metadata
    #expect(found.cues == [AudioCue(frame: 0, name: "cut", length: 6_000), AudioCue(frame: 6_000)])
    let list = try #require(found.chunks.first { $0.name == "LIST" }).content
    #expect(Data(list).range(of: Data("my note".utf8)) != nil)
    #expect(Data(list).range(of: Data("gone".utf8)) == nil)
    let sampler = try #require(found.chunks.first { $0.name == "smpl" }).content
    // The loop of frames 20,000 to 35,999 begins before frame 24,000, where the output begins, so
    // the beginning of the loop is cut off.
    #expect(Array(sampler[44..<52]) == little(0) + little(5_999))
  }

  @Test func `a conversion to FLAC reports the loss of cue notes`() async throws {
    try write("a.wav", AudioMetadata(chunks: Array(chunks.dropLast())))
    let lost = try await conversion("a.wav", to: "out.flac").run().omissions.map(\.description)
    #expect(lost.contains { $0.hasPrefix("left out: the notes of cues;") }, "\(lost)")
  }

  @Test(
    arguments: [
      (Duration.zero, nil, 0), (.milliseconds(100), nil, 1), (.zero, 24_000, 1),
    ] as [(Duration, SampleRate?, Int)])
  func `the times in iXML are removed if the start or the rate changes`(
    start: Duration, rate: SampleRate?, count: Int
  ) async throws {
    let plain = "<BWFXML><SCENE>7</SCENE><SPEED></SPEED></BWFXML>"
    let times =
      "<FILE_SAMPLE_RATE>48000</FILE_SAMPLE_RATE>"
      + "<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>9</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>"
    let text = plain.replacing("<SPEED>", with: "<SPEED>" + times)
    let chunk = AudioMetadata.Chunk(name: "iXML", content: Array(text.utf8))
    try write("a.wav", AudioMetadata(chunks: [chunk]))
    var conversion = conversion("a.wav", to: "out.wav")
    (conversion.start, conversion.sampleRate) = (start, rate)
    let lost = try await conversion.run().omissions.map(\.description)
    let found = try AudioFileInfo(url: folder.file("out.wav")).metadata.chunks
    #expect(String(decoding: found[0].content, as: UTF8.self) == (count == 0 ? text : plain))
    #expect(lost.count == count)
    #expect(lost.allSatisfy { $0.hasPrefix("left out: the times in the chunk iXML;") })
  }

  /// A cue with a name and a length, a cue with a note, a cue before the kept part, and a loop.
  private var chunks: [AudioMetadata.Chunk] {
    var points = little(3)
    for (id, frame) in [(1, 12_000), (2, 36_000), (3, 100)] {
      points += little(id) + little(0) + Array("data".utf8)
      points += little(0) + little(0) + little(frame)
    }
    let part = { (name: String, content: [UInt8]) in
      Array(name.utf8) + little(content.count) + content
    }
    var labels = Array("adtl".utf8)
    labels += part("labl", little(1) + Array("cut\0".utf8))
    labels += part("ltxt", little(1) + little(24_000) + Array("rgn ".utf8) + little(0) + little(0))
    labels += part("note", little(2) + Array("my note\0".utf8))
    labels += part("labl", little(3) + Array("gone".utf8))
    var sampler = [UInt8](repeating: 0, count: 28) + little(1) + little(0)
    sampler += little(1) + little(0) + little(20_000)
    sampler += little(35_999) + little(0) + little(0)
    return [
      .init(name: "cue ", content: points), .init(name: "LIST", content: labels),
      .init(name: "smpl", content: sampler),
    ]
  }

  private func little(_ value: Int) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func conversion(_ source: String, to name: String) -> AudioConversion {
    AudioConversion([.file(folder.file(source))], to: .file(folder.file(name)))
  }

  /// Writes two seconds of a tone.
  private func write(
    _ name: String, _ metadata: AudioMetadata, encoding: SoundFileEncoding = .wav16
  ) throws {
    let writer = try SoundFileWriter(
      url: folder.file(name), format: format, encoding: encoding, metadata: metadata)
    try writer.write(AudioSignal.sine(997, amplitude: 0.25).buffer(.seconds(2), format: format))
    try writer.close()
  }
}
