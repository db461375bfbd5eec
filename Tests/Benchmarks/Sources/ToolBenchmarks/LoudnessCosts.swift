import AudioCore
import BenchmarkTools
import CLoudness
import Foundation
import SoundFile

/// Measures the time for the loudness and pictures of an hour of stereo, compared with FFmpeg, SoX,
/// and libebur128 alone.
enum LoudnessCosts {
  static func measure(in folder: URL) throws -> [Finding] {
    let minutes = Options.number("--minutes", or: 60)
    let long = try sound(minutes: minutes, folder.appending(path: "long.wav"))
    let short = try sound(minutes: min(10, minutes), folder.appending(path: "short.wav"))
    return try loudness(of: long) + waveform(of: long, in: folder)
      + spectrogram(of: short, in: folder)
  }

  /// Writes a tone, and noise whose level rises and falls: 44.1 kHz, 16 bits.
  static func sound(minutes: Int, _ url: URL) throws -> String {
    let seconds = minutes * 60
    try Program.run([
      "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=300:duration=\(seconds)",
      "-f", "lavfi", "-i", "anoisesrc=d=\(seconds):a=0.3:r=44100:seed=1", "-filter_complex",
      "[0:a]volume=0.5[a];[1:a]tremolo=f=0.1:d=0.9[b];[a][b]join=inputs=2:channel_layout=stereo",
      "-ar", "44100", url.path,
    ])
    return url.path
  }

  private static func loudness(of file: String) throws -> [Finding] {
    let own = try Tool.seconds { try Program.run([Program.syrinx, "measure", file]) }
    let ffmpeg = try Tool.seconds {
      try Program.run([
        "ffmpeg", "-v", "error", "-i", file, "-af", "ebur128=peak=true+sample:framelog=verbose",
        "-f", "null", "-",
      ])
    }
    let loudnessAlone = try Tool.seconds { try runLibrary(file, EBUR128_MODE_SAMPLE_PEAK.rawValue) }
    let library = try Tool.seconds { try runLibrary(file, EBUR128_MODE_TRUE_PEAK.rawValue) }
    let remark = { (seconds: Double) in String(format: "%.1f s, ours %.1f s", seconds, own) }
    return [
      Finding(
        name: "loudness, relative to ffmpeg ebur128 with true peaks", value: own / ffmpeg,
        unit: "×", bound: 0.5, remark: remark(ffmpeg)),
      Finding(
        name: "loudness, relative to libebur128 alone with true peaks", value: own / library,
        unit: "×", bound: 1.1, remark: remark(library)),
      Finding(
        name: "loudness, relative to libebur128 alone without them", value: own / loudnessAlone,
        unit: "×", remark: remark(loudnessAlone)),
    ]
  }

  /// Decodes a file and passes it to libebur128, like a program that only measures.
  private static func runLibrary(_ file: String, _ peaks: UInt32) throws {
    let reader = try SoundFileReader(url: URL(filePath: file))
    let channels = reader.format.channelCount
    let modes = EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | peaks
    var state = ebur128_init(
      UInt32(channels), UInt(reader.format.sampleRate.hertz), Int32(modes))
    defer { ebur128_destroy(&state) }
    let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 16_384 * channels)
    defer { samples.deallocate() }
    while true {
      let count = try reader.read(into: samples)
      guard count > 0, let first = samples.baseAddress else { return }
      ebur128_add_frames_float(state, first, count.rawValue)
    }
  }

  private static func waveform(of file: String, in folder: URL) throws -> [Finding] {
    let picture = folder.appending(path: "wave.png").path
    let own = try Tool.seconds { try Program.run([Program.syrinx, "plot", file, "-o", picture]) }
    let ffmpeg = try Tool.seconds {
      try Program.run([
        "ffmpeg", "-v", "error", "-y", "-i", file, "-filter_complex",
        "showwavespic=s=1200x400:split_channels=1", "-frames:v", "1", picture,
      ])
    }
    return [
      Finding(
        name: "waveform PNG, relative to ffmpeg showwavespic", value: own / ffmpeg, unit: "×",
        bound: 0.5, remark: String(format: "%.1f s, ours %.1f s", ffmpeg, own))
    ]
  }

  private static func spectrogram(of file: String, in folder: URL) throws -> [Finding] {
    let picture = folder.appending(path: "spectrum.png").path
    let own = try Tool.seconds {
      try Program.run([Program.syrinx, "plot", "--spectrogram", file, "-o", picture])
    }
    let sox = try Tool.seconds {
      try Program.run(["sox", file, "-n", "spectrogram", "-x", "1200", "-Y", "400", "-o", picture])
    }
    return [
      Finding(
        name: "spectrogram PNG, relative to sox spectrogram", value: own / sox, unit: "×",
        bound: 0.5, remark: String(format: "%.1f s, ours %.1f s", sox, own))
    ]
  }
}
