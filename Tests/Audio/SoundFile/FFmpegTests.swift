import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Files that need FFmpeg.
@Suite struct FFmpegTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: [
    ("HTTPS://a.example/B.mp3", "https://a.example/B.mp3"),
    ("http://a.example", "http://a.example"),
    ("file:///a.mp3", nil),
  ])
  func `the scheme of an address is made lowercase for FFmpeg`(
    address: String, passed: String?
  ) {
    #expect(URL(string: address)?.webAddress == passed)
  }

  @Test func `seeking in a file that FFmpeg decodes is exact to the frame in both directions`()
    throws
  {
    let url = folder.file("a.m4a")
    _ = try Tool.run(
      "ffmpeg", package: "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=3:sample_rate=44100", "-c:a", "alac",
        url.path,
      ])
    let whole = try samples(from: 0, of: SoundFileReader(url: url))
    #expect(whole.count == 3 * 44_100)
    let reader = try SoundFileReader(url: url)
    for frame in [100_001, 3, 44_100, 0] {
      let found = try samples(from: frame, of: reader)
      #expect(found == Array(whole[frame...]), "from frame \(frame)")
    }
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.tta", "a.oga"])
  func `the tags of a file that FFmpeg decodes are read`(name: String) throws {
    let url = folder.file(name)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-metadata", "title=Größe", "-metadata",
      "artist=Nobody", url.path)
    let tags = try SoundFileReader(url: url).metadata.tags
    #expect(tags[.title] == ["Größe"] && tags[.artist] == ["Nobody"])
  }

  @Test(arguments: ["wavpack", "tta", "flac"], [16, 24])
  func `the reader reports the bit depth of a lossless file that FFmpeg decodes`(
    codec: String, bits: Int
  ) throws {
    let url = folder.file("a")
    let muxer = codec == "wavpack" ? "wv" : codec == "tta" ? "tta" : "ogg"
    let sampleFormat = (bits == 16 ? "s16" : "s32") + (codec == "wavpack" ? "p" : "")
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-c:a", codec, "-sample_fmt", sampleFormat, "-f",
      muxer, url.path)
    // FFmpeg's WavPack encoder writes only 16 and 32 bits, so 24-bit samples are stored in 32 bits.
    let isWide = codec == "wavpack" && bits == 24
    let samples: SoundFileEncoding.SampleFormat =
      if isWide { .int32 } else if bits == 24 { .int24 } else { .int16 }
    let reader = try SoundFileReader(url: url)
    #expect(reader.bitsPerSample == (isWide ? 32 : bits))
    #expect(reader.samples == samples)
  }

  @Test(arguments: [
    ("a.m4a", "alac", "s32p", 24), ("b.m4a", "alac", "s16p", 16), ("a.mka", "flac", "s32", 24),
    ("b.mka", "flac", "s16", 16), ("a.mov", "pcm_s24le", "s32", 24),
    ("b.mov", "pcm_s16le", "s16", 16),
    ("c.mov", "pcm_f32le", "flt", 32), ("c.mka", "aac", "fltp", nil),
  ])
  func `the reader and the description report the bit depth that the container stores`(
    name: String, codec: String, sampleFormat: String, bits: Int?
  ) throws {
    let url = folder.file(name)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-c:a", codec, "-sample_fmt", sampleFormat,
      url.path)
    let reader = try SoundFileReader(url: url)
    let samples: SoundFileEncoding.SampleFormat? =
      bits.map { $0 == 16 ? .int16 : $0 == 24 ? .int24 : .float }
    #expect(reader.bitsPerSample == bits && reader.samples == samples)
    #expect(try AudioFileInfo(url: url).bitsPerSample == bits)
  }

  @Test func `the description of an M4A file has the length, bit rate, tags, and chapters`() throws
  {
    let (url, metadata) = (folder.file("a.m4a"), folder.file("metadata.txt"))
    let text = """
      ;FFMETADATA1
      title=Größe
      track=3/7
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=1500
      title=Intro
      [CHAPTER]
      TIMEBASE=1/1000
      START=1500
      END=3000
      """
    try Data((text + "\n").utf8).write(to: metadata)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=3:sample_rate=44100", "-i", metadata.path,
      "-map_metadata", "1", "-c:a", "aac", url.path)
    let info = try AudioFileInfo(url: url)
    #expect(info.container == "QuickTime / MOV" && info.encoding == "AAC (Advanced Audio Coding)")
    #expect(info.duration == .seconds(3) && info.frameCount == nil)
    #expect(info.bitsPerSample == nil && info.bitRate ?? 0 > 10_000)
    let (tags, cues) = (info.metadata.tags, info.metadata.cues)
    #expect(tags[.title] == ["Größe"] && tags[.trackNumber] == ["3/7"])
    #expect(cues.map(\.frame) == [0, 66_150] && cues.map(\.length) == [66_150, 66_150])
    #expect(cues.first?.name == "Intro")
  }

  @Test(arguments: [
    ("a.webm", "libopus", "Matroska / WebM", "Opus (Opus Interactive Audio Codec)"),
    ("a.wma", "wmav2", "ASF (Advanced / Active Streaming Format)", "Windows Media Audio 2"),
  ])
  func `the description of a file that FFmpeg decodes names its container and encoding`(
    name: String, codec: String, container: String, encoding: String
  ) throws {
    let url = folder.file(name)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=3:sample_rate=48000", "-c:a", codec, url.path)
    let info = try AudioFileInfo(url: url)
    #expect(info.container == container && info.encoding == encoding)
    #expect(abs((info.duration?.inSeconds ?? 0) - 3) < 0.1)
    #expect(info.bitRate ?? 0 > 10_000)
  }

  @Test func `a video without an audio track throws SoundFileError.silent`() throws {
    let url = folder.file("a.mp4")
    try Tool.ffmpeg("-f", "lavfi", "-i", "testsrc=duration=1", "-c:v", "mpeg4", url.path)
    let error = SoundFileError.silent(path: url.path, what: "an MPEG-4 file (M4A or MP4)")
    #expect(throws: error) { try SoundFileReader(url: url) }
    #expect(throws: error) { try AudioFileInfo(url: url) }
  }

  @Test func `impossible times in a report of ffprobe count as unknown`() throws {
    let report = try report(
      """
      {"streams":[{"duration":"N/A","bits_per_sample":4}],"format":{"duration":"1e300"},
       "chapters":[{"start_time":"-1"},{"start_time":"0.5"}]}
      """)
    #expect(report.duration == nil && report.stored?.bits == nil)
    #expect(report.metadata(at: 8_000).cues == [AudioCue(frame: 4_000)])
  }

  @Test func `impossible bit depths and bit rates in a report of ffprobe count as unknown`() throws
  {
    let report = try report(
      """
      {"streams":[{"bits_per_raw_sample":"-16","bit_rate":"9223372036854775807"}],
       "format":{"bit_rate":"-1"}}
      """)
    #expect(report.stored?.bits == nil && report.bitRate == nil)
  }

  @Test func `a bit rate too large for an integer counts as unknown`() {
    #expect(AudioFileInfo.bitRate(1 << 40, .nanoseconds(1)) == nil)
    #expect(AudioFileInfo.bitRate(1_000, .seconds(2)) == 4_000)
  }

  @Test
  func `ffprobe's properties of the audio take precedence over those of the file`()
    throws
  {
    let report = try report(
      """
      {"streams":[{"duration":"2.5","codec_name":"pcm_s24le","bits_per_sample":24,
       "tags":{"TITLE":"Audio","track":"1"}}],
       "format":{"duration":"3","bit_rate":"64000","tags":{"title":"File"}}}
      """)
    #expect(report.duration == .milliseconds(2_500) && report.bitRate == 64_000)
    #expect(report.stored?.bits == 24 && report.encoding == "pcm_s24le")
    #expect(report.metadata(at: 8_000).tags == [.title: ["File"], .trackNumber: ["1"]])
  }

  @Test func `removeDurations removes the length from every field of the report`() throws {
    var report = try report(
      """
      {"streams":[{"codec_type":"audio","duration":"2.5","tags":{"DURATION":"00:00:04.000000000",
       "TITLE":"Audio"}}],
       "format":{"nb_streams":1,"duration":"3"}}
      """)
    #expect(report.audioDuration == .milliseconds(2_500))
    report.removeDurations()
    #expect(report.duration == nil && report.audioDuration == nil)
    #expect(report.metadata(at: 8_000).tags == [.title: ["Audio"]])
  }

  private func report(_ json: String) throws -> FFprobeReport {
    try JSONDecoder().decode(FFprobeReport.self, from: Data(json.utf8))
  }

  @Test func `the bit depth of lossless WavPack is read from its header`() {
    // The headers announce, in order: 3-byte samples, 4-byte samples with 8 unused bits, float
    // samples, lossy audio, one-bit audio.
    #expect(samples("wvpk", padding(20), [0x02, 0, 0, 0])?.bits == 24)
    #expect(samples("wvpk", padding(20), [0x03, 0, 0x01, 0])?.bits == 24)
    #expect(samples("wvpk", padding(20), [0x83, 0, 0, 0])?.format == .float)
    #expect(samples("wvpk", padding(20), [0x0A, 0, 0, 0])?.bits == nil)
    #expect(samples("wvpk", padding(20), [0x00, 0, 0, 0x80])?.bits == nil)
    #expect(samples("wvpk", padding(20))?.bits == nil)
  }

  @Test func `the bit depth of Monkey's Audio is read from the header of each version`() {
    let (new, old): ([UInt8], [UInt8]) = ([0x96, 0x0F, 0, 0, 52, 0, 0, 0], [0x6E, 0x0F, 0, 0])
    #expect(samples("MAC ", new, padding(56), [24, 0])?.format == .int24)
    #expect(samples("MAC ", new, padding(56)) == nil)
    #expect(samples("MAC ", old, [0, 0])?.bits == 16)
    #expect(samples("MAC ", old, [8, 0])?.bits == 24)
  }

  private func samples(_ mark: String, _ parts: [UInt8]...) -> StoredSamples? {
    losslessSamples(head: Array(mark.utf8) + Array(parts.joined()))
  }

  private func padding(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  private func samples(from frame: Int, of reader: SoundFileReader) throws -> [Float] {
    if frame != reader.position.rawValue { try reader.seek(to: FrameCount(frame)) }
    var samples: [Float] = []
    while case let buffer = try reader.read(atMost: 8_192), !buffer.isEmpty {
      samples += buffer.samples
    }
    return samples
  }
}
