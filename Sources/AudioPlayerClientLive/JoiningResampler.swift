import AudioCore
import Resampling

/// A resampler for a stretch of audio that others join: its first and its last frames do not ring.
///
/// A filter takes what lies beyond an end for silence, and a sound that is cut there clicks. Here
/// it goes on beyond both ends, turned round the outermost frame, and what comes of that is left
/// out.
struct JoiningResampler {
  let inputFormat: AudioFormat
  private let target: AudioFormat
  private let resampler: Resampler
  /// How many frames it goes on for: whole frames in both rates, none where that would be many.
  private let reach: Int
  /// What has been taken of the beginning, until there is enough to turn round.
  private var head: [Float]? = []
  /// The last frames taken.
  private var tail: [Float] = []
  private var taken: FrameCount = 0
  private var given = 0
  /// The samples that are still to be left out.
  private var superfluous: Int

  init(from inputFormat: AudioFormat, to target: AudioFormat) throws(ResamplingError) {
    self.inputFormat = inputFormat
    self.target = target
    resampler = try Resampler(from: inputFormat, to: target)
    reach = Self.reach(from: inputFormat.sampleRate.hertz, to: target.sampleRate.hertz)
    superfluous =
      FrameCount(reach).converted(from: inputFormat.sampleRate, to: target.sampleRate).rawValue
      * target.channelCount
    if reach == 0 { head = nil }
  }

  /// The length of all that was taken, in frames of the target.
  var length: Int {
    taken.converted(from: inputFormat.sampleRate, to: target.sampleRate).rawValue
  }

  mutating func process(_ buffer: AudioBuffer) throws(ResamplingError) -> [Float] {
    taken += buffer.frameCount
    guard reach > 0 else { return take(try resampler.process(buffer).samples) }
    let wanted = (reach + 1) * inputFormat.channelCount
    tail = Array((tail + buffer.samples.suffix(wanted)).suffix(wanted))
    guard let head else { return try convert(buffer.samples) }
    let samples = head + buffer.samples
    self.head = samples.count < wanted ? samples : nil
    return samples.count < wanted ? [] : try convert(turned(Array(samples[..<wanted])) + samples)
  }

  /// What was held back.
  mutating func finish() throws(ResamplingError) -> [Float] {
    guard reach > 0 else { return take(try resampler.finish().samples) }
    var samples: [Float] = []
    if let head {
      superfluous = 0
      samples = try convert(head)
    } else {
      let channels = inputFormat.channelCount
      let backwards = stride(from: tail.count - channels, through: 0, by: -channels)
        .flatMap { tail[$0..<$0 + channels] }
      let turned = turned(backwards)
      let beyond = stride(from: turned.count - channels, through: 0, by: -channels)
        .flatMap { turned[$0..<$0 + channels] }
      samples = try convert(beyond)
    }
    samples += take(try resampler.finish().samples)
    let excess = max(0, given - length)
    given -= excess
    return Array(samples.dropLast(excess * target.channelCount))
  }

  private mutating func convert(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    take(try resampler.process(AudioBuffer(format: inputFormat, samples: samples)).samples)
  }

  private mutating func take(_ samples: [Float]) -> [Float] {
    let left = min(superfluous, samples.count)
    superfluous -= left
    given += (samples.count - left) / target.channelCount
    return left == 0 ? samples : Array(samples.dropFirst(left))
  }

  /// What lies before the first of these frames, in order: the others, turned round it.
  private func turned(_ samples: [Float]) -> [Float] {
    let channels = inputFormat.channelCount
    return stride(from: samples.count - channels, to: 0, by: -channels).flatMap { start in
      (0..<channels).map { 2 * samples[$0] - samples[start + $0] }
    }
  }

  private static func reach(from rate: Int, to target: Int) -> Int {
    guard rate != target else { return 0 }
    var (divisor, rest) = (rate, target)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let unit = rate / divisor
    return unit > 2_048 ? 0 : unit * ((512 + unit - 1) / unit)
  }
}
