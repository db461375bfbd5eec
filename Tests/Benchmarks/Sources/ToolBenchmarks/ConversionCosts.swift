import BenchmarkTools
import Foundation

/// Measures the cost of conversions, compared with SoX, FFmpeg, and opusenc under GNU parallel.
enum ConversionCosts {
  static func measure(in folder: URL) throws -> [Finding] {
    try rate(in: folder) + encoding(in: folder) + [longFile(in: folder)]
  }

  /// Converts ten minutes of stereo to 16 kHz mono.
  private static func rate(in folder: URL) throws -> [Finding] {
    let minutes = min(10, Options.number("--minutes", or: 10))
    let source = try LoudnessCosts.sound(minutes: minutes, folder.appending(path: "rate.wav"))
    let output = folder.appending(path: "speech.wav").path
    let own = [
      Program.syrinx, "convert", source, "-o", output, "--rate", "16000", "--channels", "1",
    ]
    let cost = try Program.run(own)
    let seconds = try Tool.seconds(own)
    let sox = try Tool.seconds(["sox", source, "-c", "1", output, "rate", "-h", "16000"])
    let ffmpeg = try Program.run([
      "ffmpeg", "-v", "error", "-y", "-i", source, "-af", "aresample=16000:resampler=soxr", "-ac",
      "1", output,
    ])
    return [
      Finding(
        name: "to 16 kHz mono, relative to SoX rate -h", value: seconds / sox, unit: "×",
        bound: 0.25, remark: String(format: "%.2f s, ours %.2f s", sox, seconds)),
      Finding(
        name: "to 16 kHz mono, relative to FFmpeg's soxr, CPU",
        value: cost.seconds / ffmpeg.seconds, unit: "×", bound: 0.6,
        remark: String(format: "%.2f s, ours %.2f s", ffmpeg.seconds, cost.seconds)),
      memory("to 16 kHz mono, peak memory", cost),
    ]
  }

  /// Converts many short FLAC files to Opus, two at a time.
  private static func encoding(in folder: URL) throws -> [Finding] {
    let count = Options.number("--files", or: 200)
    let inputs = folder.appending(path: "flac")
    try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
    let files = (1...count).map { inputs.appending(path: "\($0).flac").path }
    try Program.run(
      ["sox", "-n", "-r", "48000", "-c", "2", "-b", "16", files[0], "synth", "5", "pinknoise"])
    for file in files.dropFirst() {
      try FileManager.default.copyItem(atPath: files[0], toPath: file)
    }
    let outputs = folder.appending(path: "opus").path
    let own = try Tool.seconds(
      [Program.syrinx, "convert", "--to", "opus", "--output-dir", outputs, "--jobs", "2"] + files)
    let peer = try Tool.seconds(
      ["parallel", "-j", "2", "opusenc", "--quiet", "{}", outputs + "/{/.}.opus", ":::"] + files)
    return [
      Finding(
        name: "\(count) FLAC files to Opus, relative to parallel opusenc", value: own / peer,
        unit: "×", bound: 1, remark: String(format: "%.1f s, ours %.1f s", peer, own))
    ]
  }

  /// Converts a ten-hour recording, which is a sparse file that takes no disk space.
  private static func longFile(in folder: URL) throws -> Finding {
    let hours = Options.number("--hours", or: 10)
    let (source, output) = (
      folder.appending(path: "hours.wav"), folder.appending(path: "hours.flac")
    )
    let size = UInt32(hours * 3_600 * 16_000 * 2)
    var header = Data("RIFF".utf8)
    header.append(size + 36)
    header.append(contentsOf: "WAVEfmt ".utf8)
    // 16 bytes of format: PCM, mono, 16 kHz, 32,000 bytes per second, 2 per frame, 16 bits.
    for number: UInt32 in [16, 0x1_0001, 16_000, 32_000, 0x10_0002] { header.append(number) }
    header.append(contentsOf: "data".utf8)
    header.append(size)
    try header.write(to: source)
    let file = try FileHandle(forWritingTo: source)
    try file.truncate(atOffset: UInt64(header.count) + UInt64(size))
    try file.close()
    let cost = try Program.run([Program.syrinx, "convert", source.path, "-o", output.path])
    return memory("\(hours) hours of WAV to FLAC, peak memory", cost)
  }

  /// Returns the finding for the peak memory, whose bound is 25 MiB.
  private static func memory(_ name: String, _ cost: Program.Cost) -> Finding {
    Finding(name: name, value: Double(cost.peakBytes) / 1_048_576, unit: "MiB", bound: 25)
  }
}

extension Data {
  fileprivate mutating func append(_ number: UInt32) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
