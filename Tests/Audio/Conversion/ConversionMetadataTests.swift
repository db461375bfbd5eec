import AudioCore
import Conversion
import Foundation
import Loudness
import SoundFile
import TestTools
import Testing

@Suite struct ConversionMetadataTests {
  private let folder: TestFolder
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  private let picture = AudioPicture(
    [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 7, count: 200_000), mediaType: "image/png",
    text: "Größe")

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["wav", "aiff", "flac", "ogg", "opus", "mp3"])
  func `large pictures and chapters survive the conversion to every format and back`(
    name: String
  ) async throws {
    let chapters = [
      AudioCue(frame: 0, name: "One", length: 24_000),
      AudioCue(frame: 24_000, name: "Two ä", length: 72_000),
    ]
    try write("a.flac", AudioMetadata(pictures: [picture], cues: chapters), encoding: .flac16)
    let result = try await conversion("a.flac", to: "out.\(name)").run()
    #expect(result.omissions.isEmpty)
    let found = try AudioFileInfo(url: folder.file("out.\(name)")).metadata
    #expect(found.pictures == [picture])
    #expect(found.cues.map(\.frame) == [0, 24_000])
    #expect(found.cues.map(\.name) == ["One", "Two ä"])
    _ = try await conversion("out.\(name)", to: "back.flac").run()
    let back = try AudioFileInfo(url: folder.file("back.flac")).metadata
    #expect(back.pictures == [picture] && back.cues.map(\.name) == ["One", "Two ä"])
    let frames = try Tool.ffmpeg(
      "-i", folder.file("out.\(name)").path, "-map", "0:a", "-f", "f32le", "-"
    )
    .floats.count
    // FFmpeg skips the first 128 frames of Vorbis.
    #expect(frames >= 95_872)
  }

  @Test(arguments: ["flac", "ogg", "opus", "mp3"])
  func `ffprobe finds the chapters and the cover`(name: String) async throws {
    let cues = [AudioCue(frame: 0, name: "One"), AudioCue(frame: 24_000, name: "Two")]
    let cover = try await png()
    try write("a.wav", AudioMetadata(pictures: [cover], cues: cues))
    _ = try await conversion("a.wav", to: "out.\(name)").run()
    let shown = try probe("out.\(name)")
    #expect(shown.contains("start_time=0.500000") && shown.contains("TAG:title=Two"), "\(shown)")
    #expect(shown.contains("codec_name=png"), "\(shown)")
  }

  @Test func `cues are adjusted to a new start, end, and rate, and cues outside are dropped`()
    async throws
  {
    let cues = [
      AudioCue(frame: 1_000, name: "before"), AudioCue(frame: 48_000, name: "at"),
      AudioCue(frame: 95_000, name: "after"), AudioCue(frame: 0, name: "long", length: 60_000),
    ]
    try write("a.wav", AudioMetadata(cues: cues))
    var conversion = conversion("a.wav", to: "out.wav")
    (conversion.start, conversion.end) = (.milliseconds(500), .milliseconds(1_500))
    conversion.sampleRate = 24_000
    _ = try await conversion.run()
    #expect(
      try AudioFileInfo(url: folder.file("out.wav")).metadata.cues == [
        AudioCue(frame: 12_000, name: "at"), AudioCue(frame: 0, name: "long", length: 18_000),
      ])
  }

  @Test func `each part has only the cues in its own audio`() async throws {
    let cues = [AudioCue(frame: 12_000, name: "a"), AudioCue(frame: 60_000, name: "b")]
    try write("a.wav", AudioMetadata(cues: cues))
    var conversion = AudioConversion(
      [.file(folder.file("a.wav"))],
      to: .parts { [folder] in folder.file("part\($0).wav") })
    conversion.division = .every(.seconds(1))
    _ = try await conversion.run()
    let parts = try (1...2).map { number in
      try AudioFileInfo(url: folder.file("part\(number).wav")).metadata.cues
    }
    #expect(
      parts == [[AudioCue(frame: 12_000, name: "a")], [AudioCue(frame: 12_000, name: "b")]])
  }

  @Test func `joined inputs keep the cues of all inputs`() async throws {
    try write("a.wav", AudioMetadata(cues: [AudioCue(frame: 100, name: "a")]))
    try write("b.wav", AudioMetadata(cues: [AudioCue(frame: 200, name: "b")]))
    _ = try await AudioConversion(
      ["a.wav", "b.wav"].map { .file(folder.file($0)) }, to: .file(folder.file("out.wav"))
    ).run()
    #expect(
      try AudioFileInfo(url: folder.file("out.wav")).metadata.cues == [
        AudioCue(frame: 100, name: "a"), AudioCue(frame: 96_200, name: "b"),
      ])
  }

  @Test
  func `WAV chunks are copied byte for byte, except for positions, which a new start shifts`()
    async throws
  {
    var bext = [UInt8](repeating: 0, count: 602)
    bext.replaceSubrange(0..<5, with: "Scene".utf8)
    bext.replaceSubrange(338..<342, with: [0x00, 0x10, 0, 0])
    var sampler = [UInt8](repeating: 0, count: 60)
    (sampler[28], sampler[44], sampler[49]) = (1, 250, 0x60)
    let chunks = [
      AudioMetadata.Chunk(name: "bext", content: bext),
      AudioMetadata.Chunk(name: "iXML", content: Array("<BWFXML>7</BWFXML>".utf8)),
      AudioMetadata.Chunk(name: "smpl", content: sampler),
    ]
    try write("a.wav", AudioMetadata(chunks: chunks))
    _ = try await conversion("a.wav", to: "same.wav").run()
    #expect(try AudioFileInfo(url: folder.file("same.wav")).metadata.chunks == chunks)
    var late = conversion("a.wav", to: "late.wav")
    late.start = .milliseconds(5)
    _ = try await late.run()
    let moved = try AudioFileInfo(url: folder.file("late.wav")).metadata.chunks
    try #require(moved.map(\.name) == ["bext", "iXML", "smpl"])
    #expect(Array(moved[0].content[338..<342]) == [0xF0, 0x10, 0, 0])
    #expect(moved[2].content[44] == 10 && moved[2].content[48..<50] == [0x10, 0x5F])
  }

  @Test(arguments: [
    ("au", "the tags TITLE, the pictures, the cues and chapters, the chunks bext"),
    ("flac", "the chunks bext"),
  ])
  func `metadata that the output cannot store is reported`(name: String, lost: String) async throws
  {
    try write(
      "a.wav",
      AudioMetadata(
        tags: [.title: ["Lark"]], pictures: [picture], cues: [AudioCue(frame: 9)],
        chunks: [.init(name: "bext", content: [UInt8](repeating: 0, count: 602))]))
    let result = try await conversion("a.wav", to: "out.\(name)").run()
    #expect(result.omissions.count == 1)
    #expect(result.omissions.first?.description.hasPrefix("left out: \(lost);") == true)
  }

  @Test
  func `requested metadata replaces the input's; without keepsMetadata, nothing else is written`()
    async throws
  {
    let tags: [AudioTag: [String]] = [
      .title: ["Lark"], .artist: ["Ann", "Bo"], .album: ["Birds"],
    ]
    try write("a.wav", AudioMetadata(tags: tags, pictures: [picture]))
    var conversion = conversion("a.wav", to: "out.flac")
    let other = AudioPicture([0xFF, 0xD8, 0xFF, 1], mediaType: "image/jpeg")
    (conversion.tags, conversion.cover) = ([.artist: ["Cy"], .album: []], other)
    _ = try await conversion.run()
    let found = try AudioFileInfo(url: folder.file("out.flac")).metadata
    #expect(found.tags == [.title: ["Lark"], .artist: ["Cy"]] && found.pictures == [other])
    conversion.keepsMetadata = false
    _ = try await conversion.run()
    let bare = try AudioFileInfo(url: folder.file("out.flac")).metadata
    #expect(bare.tags == [.artist: ["Cy"]] && bare.pictures == [other])
  }

  @Test(arguments: [
    AudioConversion.Normalization.loudness(LoudnessLevel(lufs: -23)),
    .loudness(LoudnessLevel(lufs: -1)), .peak(Decibels(-6)),
  ])
  func `normalization recomputes the ReplayGain tags`(
    target: AudioConversion.Normalization
  ) async throws {
    try write(
      "a.wav",
      AudioMetadata(tags: [
        AudioTag("REPLAYGAIN_TRACK_GAIN"): ["-7.50 dB"],
        AudioTag("REPLAYGAIN_TRACK_PEAK"): ["0.98"],
        AudioTag("REPLAYGAIN_ALBUM_GAIN"): ["-8.00 dB"], AudioTag("R128_TRACK_GAIN"): ["-100"],
      ]))
    var conversion = conversion("a.wav", to: "out.wav")
    conversion.normalization = target
    let result = try await conversion.run()
    let reader = try SoundFileReader(url: folder.file("out.wav"))
    let measurer = try AudioMeasurer(format, silence: Decibels(-60))
    try measurer.add(reader.read(atMost: 96_000))
    let loudness = measurer.measurement.integrated.lufs
    let tags = reader.metadata.tags
    let gain = try #require(tags[AudioTag("REPLAYGAIN_TRACK_GAIN")]?.first)
    #expect(abs((Double(gain.dropLast(3)) ?? 99) - (-18 - loudness)) < 0.02)
    let opus = tags[AudioTag("R128_TRACK_GAIN")]?.first.flatMap { Double($0) } ?? 9_999
    #expect(abs(opus / 256 - (-23 - loudness)) < 0.02)
    let peak = tags[AudioTag("REPLAYGAIN_TRACK_PEAK")]?.first.flatMap { Double($0) } ?? 9
    #expect(abs(peak - result.peak.amplitude) < 0.001)
    #expect(tags[AudioTag("REPLAYGAIN_ALBUM_GAIN")] == nil)
    #expect(result.omissions.map(\.description).contains { $0.contains("REPLAYGAIN_ALBUM_GAIN") })
  }

  @Test(
    arguments: [
      (["REPLAYGAIN_TRACK_GAIN": "-7.50 dB"], -7.5, -7.5),
      (["REPLAYGAIN_TRACK_GAIN": "+3", "REPLAYGAIN_ALBUM_GAIN": "1,5 dB"], 3, 1.5),
      (["R128_TRACK_GAIN": "-256", "R128_ALBUM_GAIN": "512"], 4, 7),
      (["REPLAYGAIN_TRACK_GAIN": "9 dB", "REPLAYGAIN_TRACK_PEAK": "0.5"], 6.0206, 6.0206),
      (["REPLAYGAIN_TRACK_GAIN": "9 dB", "REPLAYGAIN_TRACK_PEAK": "0"], 9, 9),
      (["REPLAYGAIN_TRACK_GAIN": "loud"], nil, nil), (["ARTIST": "4"], nil, nil),
    ] as [([String: String], Double?, Double?)])
  func `the gain in the tags of a track or an album is limited to keep the peak within full scale`(
    tags: [String: String], ofTrack: Double?, ofAlbum: Double?
  ) throws {
    let pairs = tags.map { (AudioTag($0.key), [$0.value]) }
    let metadata = AudioMetadata(tags: Dictionary(uniqueKeysWithValues: pairs))
    for (isAlbum, expected) in [(false, ofTrack), (true, ofAlbum)] {
      let gain = metadata.replayGain(ofAlbum: isAlbum)?.value
      #expect((gain == nil) == (expected == nil))
      #expect(abs((gain ?? 0) - (expected ?? 0)) < 0.001)
    }
  }

  @Test func `a gain in a conversion changes the ReplayGain tags by the same value`() async throws {
    try write(
      "a.wav",
      AudioMetadata(tags: [
        AudioTag("REPLAYGAIN_TRACK_GAIN"): ["-7.50 dB"],
        AudioTag("REPLAYGAIN_TRACK_PEAK"): ["0.5"], AudioTag("R128_ALBUM_GAIN"): ["-256"],
      ]))
    var conversion = conversion("a.wav", to: "out.flac")
    conversion.gain = Decibels(-6.25)
    _ = try await conversion.run()
    let tags = try AudioFileInfo(url: folder.file("out.flac")).metadata.tags
    #expect(tags[AudioTag("REPLAYGAIN_TRACK_GAIN")] == ["-1.25 dB"])
    #expect(tags[AudioTag("REPLAYGAIN_TRACK_PEAK")] == ["0.243484"])
    #expect(tags[AudioTag("R128_ALBUM_GAIN")] == ["1344"])
  }

  @Test func `the chapters and the cover of an audiobook are copied to Opus`() async throws {
    let (metadata, cover) = (folder.file("metadata.txt"), folder.file("cover.png"))
    try Data(await png().content).write(to: cover)
    let chapters =
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2500\ntitle=Two ä\n"
    try Data(";FFMETADATA1\nartist=Author\n\(chapters)".utf8).write(to: metadata)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=2.5", "-i", metadata.path, "-i", cover.path,
      "-map", "0:a", "-map", "2:v", "-map_metadata", "1", "-c:a", "aac", "-c:v", "copy",
      "-disposition:v", "attached_pic", folder.file("b.m4b").path)
    _ = try await conversion("b.m4b", to: "out.opus").run()
    let found = try AudioFileInfo(url: folder.file("out.opus")).metadata
    #expect(found.tags[.artist] == ["Author"] && found.pictures.count == 1)
    #expect(found.cues.map(\.name) == ["One", "Two ä"])
    #expect(found.cues.map(\.frame) == [0, 48_000])
  }

  @Test
  func `named pipes are joined completely, and the lost cues of the second pipe are reported`()
    async throws
  {
    try write("a.wav", AudioMetadata(cues: [AudioCue(frame: 100, name: "a")]))
    let data = try Data(contentsOf: folder.file("a.wav"))
    let pipes = ["first", "second"].map { folder.file($0) }
    signal(SIGPIPE, SIG_IGN)
    for pipe in pipes {
      try #require(mkfifo(pipe.path, 0o600) == 0)
      Thread.detachNewThread {
        let handle = FileHandle(forWritingAtPath: pipe.path)
        try? handle?.write(contentsOf: data)
        try? handle?.close()
      }
    }
    let result = try await AudioConversion(
      pipes.map { .file($0) }, to: .file(folder.file("out.wav"))
    ).run()
    #expect(result.files.map(\.frameCount) == [192_000])
    #expect(result.notices.map(\.source) == [.file(pipes[1])])
    #expect(
      result.notices.first?.notice.description.hasPrefix("left out: the cues and chapters;") == true
    )
  }

  @Test func `a cue at the end of a part is only in the next part`() async throws {
    let cues = [48_000, 96_000].map { AudioCue(frame: FrameCount($0), name: "\($0)") }
    try write("a.wav", AudioMetadata(cues: cues))
    var conversion = AudioConversion(
      [.file(folder.file("a.wav"))], to: .parts { [folder] in folder.file("part\($0).wav") })
    conversion.division = .every(.seconds(1))
    _ = try await conversion.run()
    let parts = try (1...2).map { number in
      try AudioFileInfo(url: folder.file("part\(number).wav")).metadata.cues
    }
    #expect(
      parts == [
        [], [AudioCue(frame: 0, name: "48000"), AudioCue(frame: 48_000, name: "96000")],
      ])
  }

  @Test func `tags that describe the old file or its level are not kept`() async throws {
    let level = [AudioTag("MP3GAIN_UNDO"), AudioTag("REPLAYGAIN_TRACK_RANGE")]
    var tags: [AudioTag: [String]] = [.title: ["Lark"]]
    for name in ["LENGTH", "ITUNSMPB", "COMMENT:ITUNNORM", "ENCODER"] {
      tags[AudioTag(name)] = ["1"]
    }
    for tag in level { tags[tag] = ["1"] }
    var bext = [UInt8](repeating: 0, count: 602)
    (bext[346], bext[412]) = (2, 9)
    try write("a.wav", AudioMetadata(tags: tags, chunks: [.init(name: "bext", content: bext)]))
    _ = try await conversion("a.wav", to: "same.wav").run()
    let same = try AudioFileInfo(url: folder.file("same.wav")).metadata
    #expect(Set(same.tags.keys) == Set(level + [.title]) && same.chunks[0].content == bext)
    var louder = conversion("a.wav", to: "louder.wav")
    louder.gain = Decibels(-3)
    let result = try await louder.run()
    let found = try AudioFileInfo(url: folder.file("louder.wav")).metadata
    #expect(found.tags == [.title: ["Lark"]])
    #expect(found.chunks[0].content[412..<416] == [0xFF, 0x7F, 0xFF, 0x7F])
    let lost = result.omissions.map(\.description)
    #expect(lost.contains { $0.contains("MP3GAIN_UNDO, REPLAYGAIN_TRACK_RANGE") })
    #expect(lost.contains { $0.contains("the loudness in the chunk bext") })
  }

  @Test func `a requested ReplayGain tag takes precedence over the gain that normalization finds`()
    async throws
  {
    let (gain, album) = (AudioTag("REPLAYGAIN_TRACK_GAIN"), AudioTag("REPLAYGAIN_ALBUM_GAIN"))
    try write("a.wav", AudioMetadata(tags: [gain: ["-7.50 dB"]]))
    try write("plain.wav", AudioMetadata())
    for name in ["a.wav", "plain.wav"] {
      var conversion = conversion(name, to: "out.wav")
      conversion.normalization = .peak(Decibels(-6))
      conversion.tags = [gain: ["1.00 dB"], album: ["2.00 dB"]]
      _ = try await conversion.run()
      let tags = try AudioFileInfo(url: folder.file("out.wav")).metadata.tags
      #expect(tags[gain] == ["1.00 dB"] && tags[album] == ["2.00 dB"])
    }
  }

  @Test
  func `lost metadata is reported: time reference and smpl after trimming, smpl after joining`()
    async throws
  {
    var bext = [UInt8](repeating: 0, count: 602)
    bext[339] = 1
    let chunks = [
      AudioMetadata.Chunk(name: "bext", content: bext),
      AudioMetadata.Chunk(name: "smpl", content: [UInt8](repeating: 0, count: 36)),
    ]
    let cues = [AudioCue(frame: 9, name: "a")]
    try write("a.wav", AudioMetadata(chunks: chunks))
    try write("b.wav", AudioMetadata(cues: cues))
    var trimmed = conversion("a.wav", to: "out.wav")
    trimmed.trimming = SilencePolicy()
    let result = try await trimmed.run()
    let lost = result.omissions.map(\.description)
    #expect(lost.contains { $0.contains("the times in the chunk bext") })
    #expect(lost.contains { $0.contains("the chunk smpl") })
    let found = try AudioFileInfo(url: folder.file("out.wav")).metadata.chunks
    #expect(found == [.init(name: "bext", content: [UInt8](repeating: 0, count: 602))])
    let joined = try await AudioConversion(
      ["a.wav", "b.wav"].map { .file(folder.file($0)) }, to: .file(folder.file("joined.wav"))
    ).run()
    #expect(joined.omissions.map(\.description).contains { $0.contains("the chunk smpl") })
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
    #expect(writer.notices.isEmpty || encoding.container != .wav)
    try writer.write(AudioSignal.sine(997, amplitude: 0.25).buffer(.seconds(2), format: format))
    try writer.close()
  }

  /// Returns a picture of 8 × 8 pixels.
  private func png() async throws -> AudioPicture {
    let bytes = try Tool.ffmpeg(
      "-f", "lavfi", "-i", "color=red:size=8x8", "-frames:v", "1", "-f", "image2pipe", "-c:v",
      "png", "-")
    return try #require(AudioPicture(file: [UInt8](bytes)))
  }

  private func probe(_ name: String) throws -> String {
    let shown = try Tool.run(
      "ffprobe", package: "ffmpeg",
      ["-v", "error", "-show_chapters", "-show_streams", folder.file(name).path])
    return String(decoding: shown, as: UTF8.self)
  }
}
