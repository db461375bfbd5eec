import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Every channel has its own tone, low enough for the low-frequency channel.
@Suite struct StoredChannelTests {
  private static let files = [
    "wav", "rf64", "w64", "aiff", "au", "caf", "flac", "ogg", "opus", "mp3",
  ]
  private static let usualNames = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]

  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: files, 1...8)
  func `the channel positions in FFmpeg's files are read`(
    kind: String, count: Int
  ) throws {
    guard kind != "mp3" || count < 3 else { return }
    let url = try fileOfFFmpeg(kind, Self.usualNames[count - 1], count)
    let reader = try SoundFileReader(url: url)
    #expect(reader.format == format(count))
    #expect(tones(try everything(reader), of: count) == Array(0..<count))
    try reader.seek(to: 6_000)
    #expect(tones(try everything(reader), of: count) == Array(0..<count))
  }

  @Test(arguments: ["ogg", "opus"], [6, 8])
  func `the channel positions in a pipe are read`(kind: String, count: Int) throws {
    let url = try fileOfFFmpeg(kind, Self.usualNames[count - 1], count)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    #expect(tones(try everything(reader), of: count) == Array(0..<count))
  }

  @Test(arguments: SoundFileEncoding.Container.allCases, 1...8)
  func `FFmpeg and Syrinx read the channel positions that Syrinx writes`(
    container: SoundFileEncoding.Container, count: Int
  ) throws {
    guard container != .mp3 || count < 3 else { return }
    let encoding = SoundFileEncoding(container)
    let name = "a." + container.pathExtensions[0]
    let url = try folder.file(name, encoding, sound(format(count)))
    #expect(tones(try decodedByFFmpeg(url), of: count) == Array(0..<count))
    let reader = try SoundFileReader(url: url)
    #expect(reader.format == format(count))
    #expect(tones(try everything(reader), of: count) == Array(0..<count))
  }

  @Test(arguments: SoundFileEncoding.SampleFormat.allCases, 3...8)
  func `WAV, CAF, and AIFF files with three or more channels store the positions`(
    samples: SoundFileEncoding.SampleFormat, count: Int
  ) throws {
    let wav = try SoundFileEncoding(.wav, samples: samples)
    let found = try layout(folder.file("a.wav", wav, sound(format(count))))
    #expect(found == Self.usualNames[count - 1])
    for container in [SoundFileEncoding.Container.aiff, .caf] where count <= 6 {
      let encoding = try SoundFileEncoding(container, samples: samples)
      let name = "a." + container.pathExtensions[0]
      let found = try layout(folder.file(name, encoding, sound(format(count))))
      #expect([Self.usualNames[count - 1], Self.usualNames[count - 1] + "(side)"].contains(found))
    }
  }

  @Test(arguments: 1...8)
  func `a WAV stream with three or more channels stores the positions`(count: Int) throws {
    let url = try folder.file("a.wav", Data())
    let file = try FileHandle(forWritingTo: url)
    let sound = sound(format(count))
    try StreamingWAVWriter(fileDescriptor: file.fileDescriptor, format: sound.format).write(sound)
    let expected = count < 3 ? "unknown" : Self.usualNames[count - 1]
    #expect(try layout(url) == expected)
    #expect(tones(try decodedByFFmpeg(url), of: count) == Array(0..<count))
    #expect(tones(try everything(url), of: count) == Array(0..<count))
  }

  @Test(arguments: [
    ("4.0", 4, "FL FR FC RC"), ("3.1", 4, "FL FR FC LFE"), ("2.1", 3, "FL FR LFE"),
    ("6.1(back)", 7, "FL FR FC LFE RL RR RC"), ("5.1(side)", 6, "FL FR FC LFE RL RR"),
  ])
  func `unusual channel positions of a WAV file are read and written`(
    name: String, count: Int, positions: String
  ) throws {
    let read = try SoundFileReader(url: fileOfFFmpeg("wav", name, count))
    #expect("\(read.format.layout)" == positions)
    let buffer = try read.read(atMost: 100_000)
    #expect(tones(buffer.samples, of: count) == Array(0..<count))
    for encoding in [SoundFileEncoding.wav16, .wavFloat] {
      let again = try SoundFileReader(url: folder.file("b.wav", encoding, buffer))
      #expect(again.format == read.format)
      #expect(try everything(again) == buffer.samples)
    }
  }

  @Test func `a container without stored positions gets channels mixed to the usual positions`()
    throws
  {
    let surround = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .rearCenter])
    let sound = sound(AudioFormat(sampleRate: 48_000, layout: surround))
    for encoding in [SoundFileEncoding.oggVorbis, .flac16, .opus] {
      let name = "a." + encoding.container.pathExtensions[0]
      let reader = try SoundFileReader(url: folder.file(name, encoding, sound))
      #expect(reader.format == format(4))
      // The center is mixed into front left and right, and the rear center into both rear channels.
      let samples = try everything(reader)
      let levels = (0..<4).map { channel in (0..<4).map { level(samples, 4, channel, tone: $0) } }
      #expect(levels[0][2] > 0.1 && levels[1][2] > 0.1 && levels[0][3] < 0.05)
      #expect(levels[2][3] > 0.1 && levels[3][3] > 0.1 && levels[2][2] < 0.05)
    }
  }

  @Test func `a CAF file with an unusual channel order is read in WAV order`() throws {
    let odd = ChannelLayout([
      .frontCenter, .frontLeft, .frontRight, .rearLeft, .rearRight, .lowFrequency,
    ])
    let sound = sound(AudioFormat(sampleRate: 48_000, layout: odd))
    let encoding = SoundFileEncoding(.caf)
    let reader = try SoundFileReader(url: folder.file("a.caf", encoding, sound))
    #expect(reader.format == format(6))
    #expect(tones(try everything(reader), of: 6) == [1, 2, 0, 5, 3, 4])
  }

  @Test func `Opus channels without loudspeaker positions are unchanged`() throws {
    let options = ["-mapping_family", "255"]
    let url = try fileOfFFmpeg("opus", "5.1", 6, options: options)
    #expect(tones(try everything(url), of: 6) == Array(0..<6))
  }

  // MARK: - Sound

  private func format(_ count: Int) -> AudioFormat {
    AudioFormat(sampleRate: 48_000, channelCount: count)
  }

  /// Returns the frequency of a tone in hertz; 0.1 s contains a whole number of periods.
  private func frequency(_ tone: Int) -> Double { 70 + 10 * Double(tone) }

  private func sound(_ format: AudioFormat) -> AudioBuffer {
    let count = format.channelCount
    let samples = (0..<24_000 * count).map { index in
      Float(0.5 * sin(2 * .pi * frequency(index % count) * Double(index / count) / 48_000))
    }
    return AudioBuffer(format: format, samples: samples)
  }

  /// Returns the index of the tone in each channel; -1 for no tone or several.
  private func tones(_ samples: [Float], of count: Int) -> [Int] {
    guard samples.count > 15_000 * count else { return [] }
    return (0..<count).map { channel in
      let loud = (0..<count).filter { level(samples, count, channel, tone: $0) > 0.2 }
      return loud.count == 1 ? loud[0] : -1
    }
  }

  /// Returns the amplitude of a tone in a channel, away from the beginning.
  private func level(_ samples: [Float], _ count: Int, _ channel: Int, tone: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    let frames = stride(from: 4_800, to: 14_400, by: 20)
    for frame in frames {
      let phase = 2 * .pi * frequency(tone) * Double(frame) / 48_000
      let sample = Double(samples[frame * count + channel])
      real += sample * cos(phase)
      imaginary += sample * sin(phase)
    }
    return 2 * hypot(real, imaginary) / 480
  }

  // MARK: - FFmpeg

  private func fileOfFFmpeg(
    _ kind: String, _ layout: String, _ count: Int, options: [String] = []
  ) throws -> URL {
    let samples = sound(format(count)).samples.withUnsafeBytes { Data($0) }
    let raw = try folder.file("raw", samples)
    let coding =
      switch kind {
      case "ogg": ["-c:a", "libvorbis"]
      case "opus": ["-c:a", "libopus", "-mapping_family", count > 2 ? "1" : "0"]
      case "rf64": ["-f", "wav", "-rf64", "always"]
      default: [String]()
      }
    let url = folder.file("from-ffmpeg.\(kind)")
    let input = ["-f", "f32le", "-ar", "48000", "-ac", "\(count)", "-channel_layout", layout]
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y"] + input + ["-i", raw.path] + coding + options + [url.path])
    return url
  }

  private func decodedByFFmpeg(_ url: URL) throws -> [Float] {
    try Tool.ffmpeg("-i", url.path, "-f", "f32le", "-c:a", "pcm_f32le", "-").floats
  }

  /// Returns FFmpeg's name for the positions in a file.
  private func layout(_ url: URL) throws -> String {
    let entry = ["-show_entries", "stream=channel_layout", "-of", "csv=p=0"]
    let output = try Tool.run("ffprobe", package: "ffmpeg", ["-v", "error"] + entry + [url.path])
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
