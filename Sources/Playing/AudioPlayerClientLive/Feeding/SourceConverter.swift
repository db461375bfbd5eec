import AudioCore
import AudioPlayerClient
import Resampling

/// Converts consecutive buffers of any formats to one format and speed, without gaps or clicks.
///
/// A resampler treats the samples before and after its input as silence, so a sound that begins or
/// ends abruptly would ring and click. Consecutive buffers of one format are therefore extended at
/// both ends by their own samples, mirrored at the outermost frame. The output of the extensions is
/// dropped.
struct SourceConverter {
  let target: AudioFormat
  /// Changes the timing of the converted audio; nil if each frame keeps its time.
  ///
  /// It can be replaced after `flush` or `restart`.
  var timing: (any TimingStage)? { didSet { timing?.restart(at: start) } }
  /// The resampler for buffers of the current format; nil before the first buffer.
  private var resampler: Resampler?
  /// The output frame at which the current format's audio begins.
  private var start = 0
  /// The number of input frames in the current format.
  private var taken: FrameCount = 0
  /// The number of output frames returned for the current format's audio.
  private var returned: FrameCount = 0
  /// The current format's first samples, held until there are enough to mirror; nil afterward.
  private var head: [Float]?
  /// The last samples in the current format, to be mirrored at the end of the audio.
  private var tail: [Float] = []

  init(to target: AudioFormat, timing: (any TimingStage)? = nil) {
    self.target = target
    self.timing = timing
  }

  /// The output frame at which the next buffer begins.
  var nextFrame: Int {
    let frame = start + length.rawValue
    return timing?.outputFrame(at: frame) ?? frame
  }

  /// The output frame to be returned next.
  var outputFrame: Int { timing?.outputFrame ?? convertedFrame }

  /// The number of frames returned by the resamplers, before the change of speed.
  private var convertedFrame: Int { start + returned.rawValue }

  /// Converts a buffer; the result begins with the samples held back earlier.
  mutating func convert(_ buffer: AudioBuffer) throws(AudioPlayerError) -> [Float] {
    do throws(ResamplingError) {
      var rest: [Float] = []
      if resampler?.inputFormat != buffer.format {
        // If the format cannot be converted, this throws before `endStretch` removes the held-back
        // samples.
        let next = try Resampler(from: buffer.format, to: target)
        rest = try endStretch()
        resampler = next
        if extensionLength > 0 { head = [] }
      }
      let converted = try converted(buffer)
      let samples = rest.isEmpty ? converted : rest + converted
      return try timing?.process(samples) ?? samples
    } catch {
      throw .source(nil, reason: "\(error)")
    }
  }

  /// Returns the samples held back; `nextFrame` is exact afterward.
  mutating func flush() throws(AudioPlayerError) -> [Float] {
    do throws(ResamplingError) {
      let rest = try endStretch()
      guard let timing else { return rest }
      let samples = try timing.process(rest) + timing.flush()
      restart(at: timing.outputFrame)
      return samples
    } catch {
      throw .source(nil, reason: "\(error)")
    }
  }

  /// Discards all audio; the next buffer begins at this output frame.
  mutating func restart(at frame: Int) {
    beginStretch(at: frame)
    timing?.restart(at: frame)
  }

  private mutating func beginStretch(at frame: Int) {
    (resampler, start, taken, returned, head, tail) = (nil, frame, 0, 0, nil, [])
  }
}

/// A stage after the conversion that changes how long the audio lasts.
///
/// Frames are counted from the same frame in the input and the output.
protocol TimingStage: AnyObject {
  /// The index after the last returned output frame.
  var outputFrame: Int { get }

  /// The output frame that corresponds to an input frame.
  func outputFrame(at frame: Int) -> Int

  /// Processes samples and returns the completed output, which may be empty.
  func process(_ samples: [Float]) throws(ResamplingError) -> [Float]

  /// Returns the remaining output.
  func flush() throws(ResamplingError) -> [Float]

  /// Discards all audio; the next samples begin at this frame.
  func restart(at frame: Int)
}

extension SourceConverter {
  /// The length of the current format's audio in output frames.
  private var length: FrameCount {
    guard let rate = resampler?.inputFormat.sampleRate else { return 0 }
    return taken.converted(from: rate, to: target.sampleRate)
  }

  /// Converts a buffer in the current format.
  private mutating func converted(_ buffer: AudioBuffer) throws(ResamplingError) -> [Float] {
    let (first, channels) = (taken, buffer.format.channelCount)
    taken += buffer.frameCount
    guard extensionLength > 0 else { return try resampled(buffer.samples, at: first) }
    let count = (extensionLength + 1) * channels
    tail = Array((tail + buffer.samples.suffix(count)).suffix(count))
    guard let head else { return try resampled(buffer.samples, at: first) }
    let samples = head + buffer.samples
    self.head = samples.count < count ? samples : nil
    guard samples.count >= count else { return [] }
    let mirrored = mirrored(Array(samples[..<count]), around: 0, channels)
    return try resampled(mirrored + samples, at: FrameCount(-extensionLength))
  }

  /// Ends the current format's audio and returns its held samples; the next buffer gets a new
  /// resampler.
  private mutating func endStretch() throws(ResamplingError) -> [Float] {
    guard let resampler else { return [] }
    let channels = resampler.inputFormat.channelCount
    var rest: [Float] = []
    if let head {
      // There are too few samples for the mirrored extensions, so resample them without extensions.
      rest = try resampled(head, at: 0)
    } else if extensionLength > 0 {
      rest = try resampled(mirrored(tail, around: tail.count - channels, channels), at: taken)
    }
    rest += output(try resampler.flush())
    if extensionLength > 0, returned > length {
      rest = Array(rest.dropLast((returned - length).rawValue * target.channelCount))
      returned = length
    }
    beginStretch(at: convertedFrame)
    return rest
  }

  /// Resamples `samples`, which begin at this input frame of the current format's audio.
  private mutating func resampled(
    _ samples: [Float], at frame: FrameCount
  ) throws(ResamplingError) -> [Float] {
    guard let resampler else { return [] }
    return output(
      try resampler.process(
        AudioBuffer(format: resampler.inputFormat, samples: samples, firstFrame: frame)))
  }

  /// Returns the samples without those at negative frames, which belong to the mirrored extension.
  private mutating func output(_ buffer: AudioBuffer) -> [Float] {
    returned = max(returned, buffer.endFrame)
    guard buffer.firstFrame < 0 else { return buffer.samples }
    return Array(buffer.samples.dropFirst(-buffer.firstFrame.rawValue * target.channelCount))
  }

  /// Returns the frames in reverse order, with each value reflected at the center frame's value.
  ///
  /// The center frame is omitted; `center` is the index of its first sample.
  private func mirrored(_ samples: [Float], around center: Int, _ channels: Int) -> [Float] {
    stride(from: samples.count - channels, through: 0, by: -channels)
      .filter { $0 != center }
      .flatMap { start in
        (0..<channels).map { 2 * samples[center + $0] - samples[start + $0] }
      }
  }

  /// The number of input frames in a mirrored extension: at least 512, and a whole number of frames
  /// at both rates.
  ///
  /// If the rates have only a small common divisor, the extension would be very long, so the number
  /// is 0.
  private var extensionLength: Int {
    guard let rate = resampler?.inputFormat.sampleRate.hertz, rate != target.sampleRate.hertz
    else { return 0 }
    var (divisor, rest) = (rate, target.sampleRate.hertz)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let unit = rate / divisor
    return unit > 2_048 ? 0 : unit * ((512 + unit - 1) / unit)
  }
}
