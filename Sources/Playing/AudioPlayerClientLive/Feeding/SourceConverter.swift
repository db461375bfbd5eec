import AudioCore
import AudioPlayerClient
import Resampling

/// Converts buffers of any formats in a row to one format and speed, without a gap or a click between
/// them.
///
/// A resampler treats samples beyond its input as silence, so a sound cut there rings
/// and clicks. Each stretch of one format is therefore extended beyond both of its ends by its own
/// samples, mirrored at the outermost frame; the output of the extensions is dropped.
struct SourceConverter {
  let target: AudioFormat
  private var stretch: Stretch?
  /// The output frame at which the current stretch began.
  private var start = 0
  /// Changes the speed of the converted audio; nil at the speed 1.
  private let tempo: TempoChanger?

  /// - Throws: `AudioPlayerError.speedUnavailable`.
  init(to target: AudioFormat, speed: Double = 1) throws(AudioPlayerError) {
    self.target = target
    tempo = speed == 1 ? nil : try TempoChanger(speed: speed, format: target)
  }

  /// The output frame at which the next buffer begins.
  var nextFrame: Int {
    let frame = start + (stretch?.length ?? 0)
    return tempo?.outputFrame(at: frame) ?? frame
  }

  /// The output frame to be returned next.
  var outputFrame: Int { tempo?.outputFrame ?? convertedFrame }

  /// The frame that `outputFrame` would be at the speed 1.
  private var convertedFrame: Int { start + (stretch?.returned ?? 0) }

  /// Converts a buffer; the result begins with samples held back before.
  mutating func convert(_ buffer: AudioBuffer) throws(AudioPlayerError) -> [Float] {
    let samples = try converted(buffer)
    return tempo?.process(samples) ?? samples
  }

  /// Returns the samples held back; `nextFrame` is exact afterward.
  mutating func flush() throws(AudioPlayerError) -> [Float] {
    do throws(ResamplingError) {
      let rest = try endStretch()
      guard let tempo else { return rest }
      let samples = tempo.process(rest) + tempo.flush()
      restart(at: tempo.outputFrame)
      return samples
    } catch {
      throw .source(nil, reason: "\(error)")
    }
  }

  /// Discards all audio; the next buffer begins at this output frame.
  mutating func restart(at frame: Int) {
    (stretch, start) = (nil, frame)
    tempo?.restart(at: frame)
  }

  private mutating func converted(_ buffer: AudioBuffer) throws(AudioPlayerError) -> [Float] {
    do throws(ResamplingError) {
      var rest: [Float] = []
      if stretch?.inputFormat != buffer.format {
        // A buffer that cannot be converted leaves the samples held back in place.
        let next = try Stretch(from: buffer.format, to: target)
        rest = try endStretch()
        stretch = next
      }
      let converted = try stretch?.process(buffer) ?? []
      return rest.isEmpty ? converted : rest + converted
    } catch {
      throw .source(nil, reason: "\(error)")
    }
  }

  private mutating func endStretch() throws(ResamplingError) -> [Float] {
    let rest = try stretch?.flush() ?? []
    (stretch, start) = (nil, convertedFrame)
    return rest
  }
}

/// A stretch of audio in one format and its resampler.
private struct Stretch {
  let inputFormat: AudioFormat
  /// The output frames returned so far.
  private(set) var returned = 0
  private let target: AudioFormat
  private let resampler: Resampler
  /// The frames of an extension: whole frames at both rates; zero if that would be many.
  private let extensionLength: Int
  /// The first samples, held until there are enough to mirror; nil afterward.
  private var head: [Float]? = []
  /// The last samples.
  private var tail: [Float] = []
  private var taken: FrameCount = 0
  /// The output samples of the first extension that are still to be dropped.
  private var samplesToDrop: Int

  init(from inputFormat: AudioFormat, to target: AudioFormat) throws(ResamplingError) {
    self.inputFormat = inputFormat
    self.target = target
    resampler = try Resampler(from: inputFormat, to: target)
    extensionLength = Self.extensionLength(
      from: inputFormat.sampleRate.hertz, to: target.sampleRate.hertz)
    samplesToDrop =
      FrameCount(extensionLength).converted(from: inputFormat.sampleRate, to: target.sampleRate)
      .rawValue * target.channelCount
    if extensionLength == 0 { head = nil }
  }

  /// The length of all input, in output frames.
  var length: Int {
    taken.converted(from: inputFormat.sampleRate, to: target.sampleRate).rawValue
  }

  mutating func process(_ buffer: AudioBuffer) throws(ResamplingError) -> [Float] {
    taken += buffer.frameCount
    guard extensionLength > 0 else { return output(try resampler.process(buffer).samples) }
    let count = (extensionLength + 1) * inputFormat.channelCount
    tail = Array((tail + buffer.samples.suffix(count)).suffix(count))
    guard let head else { return try resample(buffer.samples) }
    let samples = head + buffer.samples
    self.head = samples.count < count ? samples : nil
    guard samples.count >= count else { return [] }
    return try resample(mirrored(Array(samples[..<count]), around: 0) + samples)
  }

  mutating func flush() throws(ResamplingError) -> [Float] {
    var rest: [Float] = []
    if let head {
      // The stretch was too short to be mirrored, so no extension has to be dropped.
      samplesToDrop = 0
      rest = try resample(head)
    } else if extensionLength > 0 {
      rest = try resample(mirrored(tail, around: tail.count - inputFormat.channelCount))
    }
    rest += output(try resampler.flush().samples)
    guard extensionLength > 0 else { return rest }
    let excess = max(0, returned - length)
    returned -= excess
    return Array(rest.dropLast(excess * target.channelCount))
  }

  private mutating func resample(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    output(try resampler.process(AudioBuffer(format: inputFormat, samples: samples)).samples)
  }

  private mutating func output(_ samples: [Float]) -> [Float] {
    let dropped = min(samplesToDrop, samples.count)
    samplesToDrop -= dropped
    returned += (samples.count - dropped) / target.channelCount
    return dropped == 0 ? samples : Array(samples.dropFirst(dropped))
  }

  /// The other frames in reverse order, mirrored at the frame whose first sample is at `center`.
  private func mirrored(_ samples: [Float], around center: Int) -> [Float] {
    let channels = inputFormat.channelCount
    return stride(from: samples.count - channels, through: 0, by: -channels)
      .filter { $0 != center }
      .flatMap { start in
        (0..<channels).map { 2 * samples[center + $0] - samples[start + $0] }
      }
  }

  /// At least 512 input frames that are whole frames at both rates; zero if the rates have so little
  /// in common that it would be many more.
  private static func extensionLength(from rate: Int, to target: Int) -> Int {
    guard rate != target else { return 0 }
    var (divisor, rest) = (rate, target)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let unit = rate / divisor
    return unit > 2_048 ? 0 : unit * ((512 + unit - 1) / unit)
  }
}
