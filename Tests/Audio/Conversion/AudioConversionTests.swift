import AudioCore
import Conversion
import Foundation
import Loudness
import SoundFile
import Synchronization
import TestTools
import Testing

@Suite struct AudioConversionTests {
  private let folder: TestFolder
  private let stereo = AudioFormat(sampleRate: 44_100, channelCount: 2)

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["wav", "aiff", "au", "caf", "flac"])
  func `converting an integer file to another container and back keeps every sample`(name: String)
    async throws
  {
    for samples in [SoundFileEncoding.SampleFormat.int16, .int24] {
      try write(noise(2), to: "in.wav", samples: samples)
      _ = try await conversion(["in.wav"], to: "middle.\(name)").run()
      let result = try await conversion(["middle.\(name)"], to: "out.wav").run()
      #expect(result.encoding.samples == samples)
      #expect(try samplesOf("out.wav") == samplesOf("in.wav"))
      try #expect(
        Tool.sox(folder.file("middle.\(name)").path, "-t", "s24", "-")
          == Tool.sox(folder.file("in.wav").path, "-t", "s24", "-"))
    }
  }

  @Test func `float samples beyond full scale survive the conversion from WAV to AIFF and back`()
    async throws
  {
    let samples = (0..<100).flatMap { _ in [1.5, -2, 1e-9, 0.1] as [Float] }
    try write(AudioBuffer(format: stereo, samples: samples), to: "in.wav", samples: .float)
    _ = try await conversion(["in.wav"], to: "middle.aiff").run()
    _ = try await conversion(["middle.aiff"], to: "out.wav").run()
    #expect(try samplesOf("out.wav") == samples)
  }

  @Test func `a file that is converted onto itself is replaced as a whole`() async throws {
    try write(noise(2), to: "a.wav", samples: .int16)
    var conversion = conversion(["a.wav"], to: "a.wav")
    (conversion.start, conversion.end) = (.milliseconds(500), .seconds(1))
    let before = try samplesOf("a.wav")
    let result = try await conversion.run()
    #expect(result.files.map(\.frameCount) == [22_050])
    #expect(try samplesOf("a.wav") == Array(before[44_100..<88_200]))
    #expect(try folder.names == ["a.wav"])
  }

  @Test func `a damaged source leaves the existing output unchanged`() async throws {
    try write(noise(2), to: "old.wav", samples: .int16)
    try write(noise(3), to: "in.flac", samples: .int16)
    var bytes = try Data(contentsOf: folder.file("in.flac"))
    for index in bytes.count / 2..<bytes.count / 2 + 64 { bytes[index] ^= 0x5A }
    try bytes.write(to: folder.file("in.flac"))
    let old = try Data(contentsOf: folder.file("old.wav"))
    await #expect(throws: SoundFileError.self) {
      try await conversion(["in.flac"], to: "old.wav").run()
    }
    await #expect(throws: SoundFileError.self) {
      try await conversion(["in.flac"], to: "new.wav").run()
    }
    #expect(try Data(contentsOf: folder.file("old.wav")) == old)
    #expect(try folder.names == ["in.flac", "old.wav"])
  }

  @Test(arguments: [["a.wav"], ["whole.wav", "a.wav"]], ["a.wav", "whole.wav"])
  func `a truncated source never overwrites a source, but can be converted to another file`(
    names: [String], output: String
  ) async throws {
    for name in ["a.wav", "whole.wav"] { try write(noise(1), to: name, samples: .int16) }
    #expect(truncate(folder.file("a.wav").path, 80 + 4 * 10_000) == 0)
    let before = try ["a.wav", "whole.wav"].map { try Data(contentsOf: folder.file($0)) }
    let shortfall = SoundFileShortfall(announced: 44_100, decoded: 10_000, sampleRate: 44_100)
    if names.contains(output) {
      await #expect(
        throws: ConversionError.incompleteSource(
          name: folder.file("a.wav").path, shortfall: shortfall)
      ) { try await conversion(names, to: output).run() }
      let after = try ["a.wav", "whole.wav"].map { try Data(contentsOf: folder.file($0)) }
      #expect(after == before)
    }
    let result = try await conversion(names, to: "new.wav").run()
    #expect(result.shortfalls.map(\.shortfall) == [shortfall])
    let again = try await conversion(names, to: "new.wav").run()
    #expect(again.shortfalls == result.shortfalls && again.notices == result.notices)
    #expect(again.reduction == result.reduction)
    #expect(result.files.map(\.frameCount) == [names.count == 1 ? 10_000 : 54_100])
  }

  @Test func `converting the descriptor of a truncated file does not overwrite that file`()
    async throws
  {
    try write(noise(1), to: "a.wav", samples: .int16)
    #expect(truncate(folder.file("a.wav").path, 80 + 4 * 10_000) == 0)
    let before = try Data(contentsOf: folder.file("a.wav"))
    let input = try FileHandle(forReadingFrom: folder.file("a.wav"))
    let conversion = AudioConversion(
      [.descriptor(input.fileDescriptor, name: "input")], to: .file(folder.file("a.wav")))
    let shortfall = SoundFileShortfall(announced: 44_100, decoded: 10_000, sampleRate: 44_100)
    await #expect(
      throws: ConversionError.incompleteSource(name: "input", shortfall: shortfall)
    ) { try await conversion.run() }
    #expect(try Data(contentsOf: folder.file("a.wav")) == before)
    try input.close()
  }

  @Test func `normalization closes the descriptors of its measurement before it writes the output`()
    async throws
  {
    try write(noise(2), to: "in.wav", samples: .int16)
    let (input, output) = (folder.file("in.wav"), folder.file("out.wav"))
    let normalizations: [AudioConversion.Normalization?] = [nil, .peak(Decibels(-3))]
    var counts: [Int] = []
    for normalization in normalizations {
      let found = Atomic<Int>(0)
      let file = { @Sendable (_: Int) -> URL in
        found.store((try? descriptorCount(of: input)) ?? 0, ordering: .relaxed)
        return output
      }
      var conversion = AudioConversion([.file(input)], to: .parts(file))
      conversion.normalization = normalization
      _ = try await conversion.run()
      counts.append(found.load(ordering: .relaxed))
    }
    #expect(counts[0] > 0 && counts[1] == counts[0])
  }

  @Test func `joined files follow each other without a gap`() async throws {
    try write(noise(1), to: "a.wav", samples: .int16)
    try write(noise(2), to: "b.flac", samples: .int16)
    _ = try await conversion(["a.wav", "b.flac"], to: "out.wav").run()
    #expect(try samplesOf("out.wav") == samplesOf("a.wav") + samplesOf("b.flac"))
  }

  @Test func `a mix divides each source by the number of sources`() async throws {
    try write(constant(0.5), to: "a.wav", samples: .float)
    try write(constant(-0.25), to: "b.wav", samples: .float)
    var conversion = conversion(["a.wav", "b.wav"], to: "out.wav")
    conversion.combination = .mixed
    _ = try await conversion.run()
    #expect(try samplesOf("out.wav") == Array(repeating: 0.125, count: 8_820))
  }

  @Test func `a mix has the highest rate and the most channels of its sources`() async throws {
    let rates = [(16_000, 1), (22_050, 2), (48_000, 1)]
    for (index, (rate, count)) in rates.enumerated() {
      let format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: count)
      let tone = AudioSignal.sine(300, amplitude: 0.5).buffer(.seconds(1), format: format)
      try write(tone, to: "\(index).wav", samples: .float)
    }
    var conversion = conversion(["0.wav", "1.wav", "2.wav"], to: "out.wav")
    conversion.combination = .mixed
    let result = try await conversion.run()
    #expect(result.format.sampleRate.hertz == 48_000 && result.format.channelCount == 2)
    #expect(result.mixesFormats && result.files.map(\.frameCount) == [48_000])
    #expect(abs(result.peak.amplitude - 0.5) < 0.1)
    conversion.combination = .joined
    let joined = try await conversion.run()
    #expect(joined.format.sampleRate.hertz == 16_000 && !joined.mixesFormats)
  }

  @Test(arguments: ["mp3", "ogg", "opus", "wav"])
  func `samples beyond full scale are clipped only in integer formats`(name: String) async throws {
    let loud = AudioSignal.sine(300, amplitude: 1.5).buffer(.seconds(1), format: stereo)
    try write(loud, to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.\(name)")
    if name == "wav" { conversion.samples = .int16 }
    let result = try await conversion.run()
    let peak = try samplesOf("out.\(name)").max() ?? 0
    #expect(result.isClipped == (name == "wav"))
    #expect(name == "wav" ? peak <= 1 : peak > 1.3)
  }

  @Test func `peak normalization brings the highest sample to the target`() async throws {
    try write(constant(0.1), to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .peak(Decibels(-6))
    let result = try await conversion.run()
    #expect(abs(result.peak.value + 6) < 0.001 && abs(result.gain.value - 14) < 0.001)
  }

  @Test func `loudness normalization brings the integrated loudness to the target`() async throws {
    let sine = AudioSignal.sine(997, amplitude: 0.1).buffer(.seconds(2), format: stereo)
    try write(sine, to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .loudness(LoudnessLevel(lufs: -16))
    // For a sine of 997 Hz in both channels, the loudness in LUFS equals the peak in dBFS.
    #expect(abs(try await conversion.run().gain.value - 4) < 0.05)
  }

  @Test(arguments: [.int16, .float] as [SoundFileEncoding.SampleFormat])
  func `peaks of a loudness normalization are limited to -1 dBTP`(
    samples: SoundFileEncoding.SampleFormat
  ) async throws {
    // Short bursts, 20 dB above the rest.
    let noise = AudioSignal.noise(seed: 5, amplitude: 1).buffer(.seconds(4), format: stereo)
    let bursts = noise.samples.enumerated().map { $0 % 20_000 < 2_000 ? $1 : $1 / 10 }
    try write(AudioBuffer(format: stereo, samples: bursts), to: "a.wav", samples: samples)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .loudness(LoudnessLevel(lufs: -3))
    let result = try await conversion.run()
    let written = AudioBuffer(format: stereo, samples: try samplesOf("out.wav"))
    let measured = try await AsyncStream { stream in
      stream.yield(written)
      stream.finish()
    }.measured()
    let measurement = try #require(measured)
    #expect(!result.isClipped && measurement.clippedSampleCount == 0)
    #expect(measurement.truePeak.value < -0.95)
    #expect(result.limiterGain.value < -1)
    let loudness = try #require(result.limitedLoudness)
    #expect(abs(loudness.lufs - measurement.integrated.lufs) < 0.1 && loudness.lufs < -3)
    #expect(written.frameCount == noise.frameCount)
  }

  @Test func `the true-peak limiter leaves samples far from a peak unchanged`() async throws {
    // A quiet tone, a click, and a quiet tone.
    let tone = AudioSignal.sine(997, amplitude: 0.1).buffer(.seconds(4), format: stereo)
    var clicked = tone.samples
    for index in 176_400..<176_410 { clicked[index] = 1 }
    try write(AudioBuffer(format: stereo, samples: clicked), to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .loudness(LoudnessLevel(lufs: -16))
    let result = try await conversion.run()
    #expect(result.limiterGain.value < -1)
    let gain = Float(result.gain.amplitude)
    let written = try samplesOf("out.wav")
    // The gain falls at most 7.5 ms before the click, and is 1 again within 125 ms.
    for range in [0..<175_500, 190_000..<352_800] {
      #expect(zip(written[range], tone.samples[range]).allSatisfy { abs($0 - $1 * gain) < 1e-6 })
    }
  }

  @Test func `normalization does not change silence`() async throws {
    try write(constant(0), to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .loudness(LoudnessLevel(lufs: -16))
    #expect(try await conversion.run().gain == Decibels(0))
  }

  @Test func `parts of equal length add up to the whole audio`() async throws {
    try write(noise(1), to: "a.wav", samples: .int16)
    let url = folder.url
    var conversion = AudioConversion(
      [.file(folder.file("a.wav"))], to: .parts { url.appending(path: "part-\($0).wav") })
    conversion.division = .every(.milliseconds(400))
    let result = try await conversion.run()
    #expect(result.files.map(\.frameCount) == [17_640, 17_640, 8_820])
    #expect(
      try samplesOf("part-1.wav") + samplesOf("part-2.wav") + samplesOf("part-3.wav")
        == samplesOf("a.wav"))
  }

  @Test(arguments: [["part-1.wav"], ["b.wav", "part-2.wav"]])
  func `a numbered part never overwrites a source file`(names: [String]) async throws {
    for name in names { try write(noise(1), to: name, samples: .int16) }
    let last = try #require(names.last)
    let before = try Data(contentsOf: folder.file(last))
    let url = folder.url
    var conversion = AudioConversion(
      names.map { .file(folder.file($0)) }, to: .parts { url.appending(path: "part-\($0).wav") })
    conversion.division = .every(.milliseconds(400))
    await #expect {
      try await conversion.run()
    } throws: { error in
      if case ConversionError.partIsSource(let name) = error { name.hasSuffix(last) } else { false }
    }
    #expect(try Data(contentsOf: folder.file(last)) == before)
  }

  @Test func `samples that are NaN or infinite become silence and are counted`() async throws {
    try write(
      AudioBuffer(format: stereo, samples: [.nan, 0.5, .infinity, 0.25]), to: "a.wav",
      samples: .float)
    let result = try await conversion(["a.wav"], to: "out.wav").run()
    #expect(result.silencedSampleCount == 2)
    #expect(try samplesOf("out.wav") == [0, 0.5, 0, 0.25])
  }

  @Test func `a start after the end is an error and creates no file`() async throws {
    try write(noise(1), to: "a.wav", samples: .int16)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.start = .seconds(2)
    await #expect(
      throws: ConversionError.startAfterEnd(start: .seconds(2), end: .seconds(1))
    ) { try await conversion.run() }
    #expect(try folder.names == ["a.wav"])
  }

  @Test
  func `a mix can start within its longest source, and a start after all sources is an error`()
    async throws
  {
    try write(noise(1), to: "a.wav", samples: .int16)
    try write(noise(3), to: "b.wav", samples: .int16)
    var conversion = conversion(["a.wav", "b.wav"], to: "out.wav")
    conversion.combination = .mixed
    conversion.start = .seconds(2)
    #expect(try await conversion.run().files.map(\.frameCount) == [44_100])
    conversion.start = .seconds(4)
    await #expect(throws: ConversionError.startAfterEnd(start: .seconds(4), end: .seconds(3))) {
      try await conversion.run()
    }
  }

  @Test func `a mix counts the samples that it replaces with silence`() async throws {
    try write(constant(0.5), to: "a.wav", samples: .float)
    try write(
      AudioBuffer(format: stereo, samples: [.nan, 0.5, .infinity, 0.25]), to: "b.wav",
      samples: .float)
    var conversion = conversion(["a.wav", "b.wav"], to: "out.wav")
    conversion.combination = .mixed
    #expect(try await conversion.run().silencedSampleCount == 2)
  }

  @Test func `normalizing a named pipe is an error`() async throws {
    let pipe = folder.file("pipe.wav")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    var conversion = conversion(["pipe.wav"], to: "out.wav")
    conversion.normalization = .peak(Decibels(-1))
    await #expect {
      try await conversion.run()
    } throws: { error in
      if case ConversionError.cannotReadTwice = error { true } else { false }
    }
  }

  @Test func `audio too short for a loudness measurement cannot be normalized to a loudness`()
    async throws
  {
    try write(constant(0.1), to: "a.wav", samples: .float)
    var conversion = conversion(["a.wav"], to: "out.wav")
    conversion.normalization = .loudness(LoudnessLevel(lufs: -16))
    await #expect {
      try await conversion.run()
    } throws: { error in
      if case ConversionError.noLoudness = error { true } else { false }
    }
    #expect(try folder.names == ["a.wav"])
  }

  @Test func `a canceled conversion throws CancellationError and creates no file`() async throws {
    let pipe = folder.file("pipe.wav")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    // A pipe with a writer that sends nothing.
    let writer = open(pipe.path, O_RDWR)
    defer { close(writer) }
    let conversion = conversion(["pipe.wav"], to: "out.wav")
    let run = Task { try await conversion.run() }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try folder.names == ["pipe.wav"])
  }

  @Test func `a conversion that trims all audio replaces no file`() async throws {
    let quiet = AudioSignal.sine(300, amplitude: 0.002).buffer(.seconds(1), format: stereo)
    try write(quiet, to: "a.wav", samples: .int16)
    let before = try Data(contentsOf: folder.file("a.wav"))
    for name in ["a.wav", "new.wav"] {
      var conversion = conversion(["a.wav"], to: name)
      conversion.trimming = SilencePolicy(threshold: Decibels(-50), hold: .seconds(10))
      #expect(try await conversion.run().files.isEmpty)
    }
    let isUntouched = try Data(contentsOf: folder.file("a.wav")) == before
    #expect(isUntouched)
    #expect(try folder.names == ["a.wav"])
  }

  @Test func `converting a file without frames creates a file without frames`() async throws {
    try write(AudioBuffer(format: stereo, samples: []), to: "a.wav", samples: .int16)
    let result = try await conversion(["a.wav"], to: "out.flac").run()
    #expect(result.files.map(\.frameCount) == [0])
  }

  @Test(arguments: ["wav", "aiff", "flac", "ogg", "opus", "mp3"])
  func `all values of all tags are kept`(name: String) async throws {
    let tags: [AudioTag: [String]] = [
      .title: ["東京 – Größe"], .artist: ["Björk", "Ann"], .date: ["1999"],
      AudioTag("MYTAG"): ["custom"],
    ]
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let writer = try SoundFileWriter(
      url: folder.file("a.wav"), format: format, encoding: .wav16,
      metadata: AudioMetadata(tags: tags))
    try writer.write(AudioBuffer(silence: 4_800, format: format))
    try writer.close()
    _ = try await conversion(["a.wav"], to: "out.\(name)").run()
    #expect(try AudioFileInfo(url: folder.file("out.\(name)")).metadata.tags == tags)
    _ = try await conversion(["out.\(name)"], to: "back.flac").run()
    #expect(try AudioFileInfo(url: folder.file("back.flac")).metadata.tags == tags)
  }

  @Test(arguments: ["in.wv", "in.tta", "in.oga"])
  func `a lossless file that FFmpeg decodes keeps 24 bits and its tags`(name: String) async throws {
    try write(noise(1), to: "a.wav", samples: .int24)
    try Tool.ffmpeg(
      "-i", folder.file("a.wav").path, "-metadata", "title=Noise", folder.file(name).path)
    for output in ["out.wav", "out.flac"] {
      let result = try await conversion([name], to: output).run()
      #expect(result.encoding.samples != .int16)
      let isExact = try samplesOf(output) == samplesOf("a.wav")
      #expect(isExact, "\(output)")
      #expect(try AudioFileInfo(url: folder.file(output)).metadata.tags[.title] == ["Noise"])
    }
  }

  @Test func `the tags of an M4A file are copied to FLAC`() async throws {
    let source = folder.file("in.m4a").path
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=1", "-metadata", "title=Sine", "-metadata",
      "artist=Nobody", source)
    _ = try await conversion(["in.m4a"], to: "out.flac").run()
    let tags = try AudioFileInfo(url: folder.file("out.flac")).metadata.tags
    #expect(tags[.title] == ["Sine"] && tags[.artist] == ["Nobody"])
  }

  private func conversion(_ sources: [String], to name: String) -> AudioConversion {
    AudioConversion(sources.map { .file(folder.file($0)) }, to: .file(folder.file(name)))
  }

  private func noise(_ seconds: Int) -> AudioBuffer {
    AudioSignal.noise(seed: 7, amplitude: 0.5).buffer(.seconds(seconds), format: stereo)
  }

  private func constant(_ value: Float) -> AudioBuffer {
    AudioBuffer(format: stereo, samples: Array(repeating: value, count: 8_820))
  }

  private func write(
    _ buffer: AudioBuffer, to name: String, samples: SoundFileEncoding.SampleFormat
  ) throws {
    let container = try SoundFileEncoding(pathExtension: folder.file(name).pathExtension).container
    let writer = try SoundFileWriter(
      url: folder.file(name), format: buffer.format,
      encoding: try SoundFileEncoding(container, samples: samples))
    try writer.write(buffer)
    try writer.close()
  }

  private func samplesOf(_ name: String) throws -> [Float] {
    let reader = try SoundFileReader(url: folder.file(name))
    var samples: [Float] = []
    while case let buffer = try reader.read(atMost: 65_536), !buffer.isEmpty {
      samples += buffer.samples
    }
    return samples
  }
}
