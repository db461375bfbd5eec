import AudioCore
import AudioThreads
import Foundation
import Synchronization
import TestTools
import Testing

@testable import SoundFile

@Suite struct RawAudioFormatTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(
    arguments: [
      (.int16, [0, 0, 0, 0x80, 0xFF, 0x7F, 1, 0], [0, -1, 32_767.0 / 32_768, 1.0 / 32_768]),
      (.int24, [0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0, 0, 0x40], [-1, -1.0 / 8_388_608, 0.5]),
      (.int32, [0, 0, 0, 0x80, 0, 0, 0, 0x20], [-1, 0.25]),
      (.float, [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0], [1, -2]),
      // The extreme values and zero of G.711: 32,124 for µ-law and 32,256 for A-law.
      (.ulaw, [0x80, 0x00, 0xFF], [32_124.0 / 32_768, -32_124.0 / 32_768, 0]),
      (.alaw, [0xAA, 0x2A, 0xD5], [32_256.0 / 32_768, -32_256.0 / 32_768, 8.0 / 32_768]),
    ] as [(RawAudioFormat.Coding, [UInt8], [Float])])
  func `raw samples are the same from a pipe and from a file`(
    coding: RawAudioFormat.Coding, bytes: [UInt8], expected: [Float]
  ) async throws {
    let raw = RawAudioFormat(coding, sampleRate: 16_000, channelCount: 1)
    #expect(try await read(bytes, raw).flatMap(\.samples) == expected)
    let file = folder.file("samples")
    try Data(bytes).write(to: file)
    let reader = try SoundFileReader(url: file, raw: raw)
    #expect(reader.format == AudioFormat(sampleRate: 16_000, channelCount: 1))
    #expect(reader.announcedFrameCount == FrameCount(expected.count))
    #expect(try reader.read(atMost: 100).samples == expected)
    try reader.seek(to: 1)
    #expect(try reader.read(atMost: 1).samples == [expected[1]])
  }

  @Test func `raw frames of several channels arrive while the pipe is open`() async throws {
    let pipe = Pipe()
    let raw = RawAudioFormat(.int16, sampleRate: 16_000, channelCount: 2)
    var buffers = SoundFile.buffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor, raw: raw, framesPerBuffer: 1
    ).makeAsyncIterator()
    try pipe.fileHandleForWriting.write(contentsOf: Data([0, 0x40, 0, 0xC0, 0, 0x20]))
    let first = try #require(try await buffers.next())
    #expect(first == AudioBuffer(format: raw.format, samples: [0.5, -0.5]))
    try pipe.fileHandleForWriting.write(contentsOf: Data([0, 0xE0]))
    let second = try #require(try await buffers.next())
    #expect(second == AudioBuffer(format: raw.format, samples: [0.25, -0.25], firstFrame: 1))
    try pipe.fileHandleForWriting.close()
    #expect(try await buffers.next() == nil)
  }

  @Test func `an incomplete frame at the end of raw audio is a shortfall`() async throws {
    let raw = RawAudioFormat(.int16, sampleRate: 8_000, channelCount: 2)
    let shortfalls = Mutex<[SoundFileShortfall]>([])
    let bytes = [UInt8](repeating: 1, count: 4 * 800 + 3)
    let buffers = try await read(bytes, raw) { found in
      shortfalls.withLock { $0.append(found) }
    }
    #expect(buffers.map(\.frameCount).reduce(0, +) == 800)
    #expect(shortfalls.withLock { $0.map(\.decoded) } == [800])
    let file = folder.file("odd.raw")
    try Data(bytes).write(to: file)
    #expect(try AudioFileInfo(url: file, raw: raw, interruption: nil).shortfall != nil)
    let reader = try SoundFileReader(url: file, raw: raw)
    while try !reader.read(atMost: 1_000).isEmpty {}
    #expect(reader.shortfall?.decoded == 800)
  }

  @Test(arguments: [0, 3]) func `raw audio without a frame is an error`(count: Int) async throws {
    let raw = RawAudioFormat(.int16, sampleRate: 16_000, channelCount: 2)
    let bytes = [UInt8](repeating: 0, count: count)
    let error = { (path: String) -> SoundFileError in
      count == 0
        ? .empty(path: path)
        : .cannotRead(path: path, reason: "it ends within its first frame of 4 bytes")
    }
    await #expect(throws: error("standard input")) {
      _ = try await read(bytes, raw)
    }
    let file = folder.file("short.raw")
    try Data(bytes).write(to: file)
    #expect(throws: error(file.path)) {
      try SoundFileReader(url: file, raw: raw)
    }
  }

  @Test func `a raw format and a web address are an error before the address is opened`() throws {
    let address = try #require(URL(string: "http://127.0.0.1:9/a.raw"))
    let raw = RawAudioFormat(.ulaw)
    for open in [
      { _ = try SoundFileReader(url: address, raw: raw) },
      { _ = try AudioFileInfo(url: address, raw: raw, interruption: nil) },
    ] as [() throws -> Void] {
      #expect { try open() } throws: { "\($0)".contains("download the file first") }
    }
  }

  @Test(
    arguments: [
      ("call.gsm", Array("OggS".utf8) + [0]), ("call.gsm", Array("#!AMR\n".utf8)),
      ("call.ul", [0, 0, 0, 0x20] + Array("ftypM4A ".utf8)),
      ("use.al", Array("# NOTE: Derived from use.pm.\npackage use;\n".utf8)),
    ] as [(String, [UInt8])])
  func `a file whose content is of a known kind, or text, has no format by its extension`(
    name: String, head: [UInt8]
  ) throws {
    let file = folder.file(name)
    try Data(head + [UInt8](repeating: 0x20, count: 100)).write(to: file)
    let descriptor = try Descriptor.reading(file.path)
    #expect(descriptor.rawFormat(pathExtension: file.pathExtension) == nil)
  }

  @Test(arguments: [0x55, 0xD5, 0xFF, 0x0B] as [UInt8])
  func `a constant level has the format of its extension`(byte: UInt8) throws {
    let file = folder.file("quiet.al")
    // The second byte of AC-3 follows 0x0B, but a signature of two bytes is too short.
    try Data([byte, 0x77] + [UInt8](repeating: byte, count: 8_000)).write(to: file)
    let descriptor = try Descriptor.reading(file.path)
    #expect(descriptor.rawFormat(pathExtension: "al") == RawAudioFormat(.alaw))
  }

  @Test(
    arguments: [
      (RawAudioFormat(.gsm, channelCount: 2), "GSM 6.10 has 1 channel, not 2"),
      (RawAudioFormat(.g722, sampleRate: 8_000), "G.722 has 1 channel at 16000 Hz"),
      (RawAudioFormat(.int16, sampleRate: 1_000_000), "1 to 256 channels at 1 to 768000 Hz"),
      (RawAudioFormat(.int16, channelCount: 257), "1 to 256 channels at 1 to 768000 Hz"),
    ])
  func `the error for an impossible rate or number of channels names what is possible`(
    raw: RawAudioFormat, text: String
  ) async {
    await #expect { _ = try await read([UInt8](repeating: 0, count: 99), raw) } throws: {
      "\($0)".contains(text)
    }
  }

  @Test func `canceling the reader ends a read from a pipe without data`() async throws {
    let pipe = Pipe()
    let buffers = SoundFile.buffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor, raw: RawAudioFormat(.int16))
    let reading = Task { try await buffers.reduce(0) { count, _ in count + 1 } }
    reading.cancel()
    #expect(try await reading.value == 0)
    withExtendedLifetime(pipe) {}
  }

  /// The encodings, with SoX's type and the greatest difference from the original.
  static let made: [(ending: String, coding: RawAudioFormat.Coding, difference: Float)] = [
    ("ul", .ulaw, 0.02), ("al", .alaw, 0.02), ("sln", .int16, 0.000_1), ("gsm", .gsm, 0.2),
    ("g722", .g722, 0.2),
  ]

  @Test(arguments: made)
  func `an extension of telephone audio names its encoding`(
    ending: String, coding: RawAudioFormat.Coding, difference: Float
  ) async throws {
    let file = try folder.telephone("call.\(ending)")
    let raw = try #require(RawAudioFormat(pathExtension: ending.uppercased()))
    #expect(raw.coding == coding)
    #expect(
      raw.format == AudioFormat(sampleRate: ending == "g722" ? 16_000 : 8_000, channelCount: 1))
    let named = try await samples(SoundFile.buffers(of: file))
    #expect(named.peak > 0.4 && named.peak < 0.6)
    let rate = Float(raw.format.sampleRate.hertz)
    #expect(abs(Float(named.count) / rate - 1) < 0.03)
    // A file without the extension and a pipe yield the same samples, if the encoding is named.
    let bare = folder.file("call")
    try FileManager.default.copyItem(at: file, to: bare)
    #expect(try await samples(SoundFile.buffers(of: bare, raw: raw)) == named)
    #expect(try await read([UInt8](Data(contentsOf: file)), raw).flatMap(\.samples) == named)
    guard [.ulaw, .alaw, .int16].contains(coding) else { return }
    let original = try Tool.sox(file.path, "-t", "f32", "-").floats
    #expect(zip(named, original).allSatisfy { abs($0 - $1) <= difference })
  }

  @Test func `a WAV file keeps its format even if its extension is that of telephone audio`()
    async throws
  {
    let file = folder.file("call.gsm")
    try Tool.sox(
      "-n", "-r", "11025", "-t", "wav", file.path, "synth", "0.1", "sine", "440")
    #expect(try SoundFileReader(url: file).format.sampleRate == 11_025)
  }

  private func samples(
    _ buffers: AsyncThrowingStream<AudioBuffer, any Error>
  ) async throws -> [Float] {
    try await buffers.reduce(into: []) { $0 += $1.samples }
  }

  private func read(
    _ bytes: [UInt8], _ raw: RawAudioFormat,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in }
  ) async throws -> [AudioBuffer] {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try pipe.fileHandleForWriting.close()
    let stream = SoundFile.buffers(
      ofFileDescriptor: pipe.fileHandleForReading.fileDescriptor, raw: raw,
      onShortfall: onShortfall)
    let buffers = try await stream.reduce(into: []) { $0.append($1) }
    withExtendedLifetime(pipe) {}
    return buffers
  }
}

extension [Float] {
  fileprivate var peak: Float { map(abs).max() ?? 0 }
}

extension TestFolder {
  /// Makes a second of a tone in a telephone encoding, with SoX or FFmpeg.
  fileprivate func telephone(_ name: String) throws -> URL {
    let file = file(name)
    let tone = ["synth", "1", "sine", "440", "gain", "-6"]
    switch file.pathExtension {
    case "g722":
      let wave = self.file("tone.wav")
      try Tool.run("sox", package: "sox", ["-n", "-r", "16000", "-b", "16", wave.path] + tone)
      try Tool.ffmpeg("-i", wave.path, "-f", "g722", file.path)
    case "sln":
      try Tool.run(
        "sox", package: "sox",
        ["-n", "-r", "8000", "-c", "1", "-t", "raw", "-e", "signed", "-b", "16", file.path] + tone)
    default:
      try Tool.run(
        "sox", package: "sox libsox-fmt-all", ["-n", "-r", "8000", "-c", "1", file.path] + tone)
    }
    return file
  }
}
