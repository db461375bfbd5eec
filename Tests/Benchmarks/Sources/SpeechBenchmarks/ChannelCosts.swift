import AudioCore
import BenchmarkTools
import Foundation
import SoundFile

/// Measures the CPU time to recognize two channels with a speaker each, compared with the time for
/// one channel.
enum ChannelCosts {
  static func measure(on bench: SpeechBench) throws -> [Finding] {
    let one = try bench.speech(seconds: 120)
    let two = try stereo(of: one, in: bench)
    return try ["pocketsphinx", "moonshine"].map { engine in
      let ours = Transcribing(engine: engine, bench: bench)
      var (single, separate) = (Runs(), Runs())
      for _ in 0..<Runs.rounds {
        try single.add(ours.command(["--jobs", "1", one.path], isTimed: false))
        try separate.add(
          ours.command(["--jobs", "2", "--channels", "separate", two], isTimed: false))
      }
      return Finding(
        name: "\(engine): two channels, against one",
        value: separate.leastProcessor / single.leastProcessor, unit: "", bound: 2.1,
        remark: "CPU time, 120 s")
    }
  }

  /// Returns a file whose second channel begins with the second half of the speech.
  private static func stereo(of speech: URL, in bench: SpeechBench) throws -> String {
    let left = try SpeechBench.buffer(of: speech).samples
    let right = left[(left.count / 2)...] + left[..<(left.count / 2)]
    let url = bench.folder.appending(path: "two-speakers.wav")
    let format = AudioFormat(sampleRate: .speech, channelCount: 2)
    let writer = try SoundFileWriter(url: url, format: format, encoding: .wav16)
    let samples = zip(left, right).flatMap { [$0, $1] }
    try writer.write(AudioBuffer(format: format, samples: samples, firstFrame: 0))
    try writer.close()
    return url.path
  }
}
