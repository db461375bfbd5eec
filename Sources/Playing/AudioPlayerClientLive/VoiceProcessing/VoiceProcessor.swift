public import AudioCore
public import AudioPlayerClient
import Resampling

/// Removes echo and noise from captured speech, and evens its level, with libspeexdsp.
///
/// The reference for echo cancellation is a player's mix. It is aligned by `AudioBuffer.hostTime`,
/// so the devices' buffers do not lengthen the echo. The processor adapts to the room within a few
/// seconds of playback, and stays adapted across gaps. Each channel is processed separately.
///
/// The output has the frames, times, and gaps of the input. It lags by 10 ms, or by up to 50 ms if
/// the reference is late. The library works with 16-bit samples.
public struct VoiceProcessor: AudioProcessor {
  private let reference: (@Sendable () -> [AudioBuffer])?
  private let makeVoice: (SampleRate) throws(AudioPlayerError) -> SpeexVoice
  private var timeline: ReferenceTimeline?
  /// The state of each channel; empty before the first buffer.
  private var voices: [SpeexVoice] = []
  private var continuity = ContinuityChecker()
  private var captureInfo = CaptureInfo()
  private var format = AudioFormat.speech
  /// The captured samples that are not processed yet.
  private var pending: [Float] = []
  /// The index of the first frame in `pending`.
  private var next: FrameCount = 0
  /// The host's time at which frame 0 was captured.
  private var origin: ContinuousClock.Instant?
  /// Whether the library holds a frame; the next result then belongs to the held frame.
  private var isDelayed = false

  /// Creates a processor; the library is loaded at the first buffer.
  ///
  /// - Parameters:
  ///   - reference: returns the blocks that were played since its previous call, with their times,
  ///     like a function from `AudioPlayerClient.makeMixReader`; nil without echo cancellation.
  ///   - tail: the longest time from the loudspeaker to the microphone, including reverberation; at
  ///     most 2 s.
  ///   - noiseSuppression: the attenuation of noise and residual echo; nil for none.
  ///   - gainControl: the level to which speech is amplified; nil for none.
  public init(
    reference: (@Sendable () -> [AudioBuffer])?, tail: Duration = .milliseconds(200),
    noiseSuppression: Decibels? = Decibels(-15), gainControl: Decibels? = nil
  ) {
    self.reference = reference
    makeVoice = { (rate: SampleRate) throws(AudioPlayerError) -> SpeexVoice in
      try SpeexVoice(
        at: rate, tail: reference == nil ? nil : tail, noise: noiseSuppression, level: gainControl)
    }
  }

  /// The number of input frames that have not been returned yet.
  public var heldFrames: FrameCount {
    let count = FrameCount(pending.count / format.channelCount)
    return isDelayed ? count + FrameCount(voices.first?.frame ?? 0) : count
  }

  /// Returns the processed frames.
  ///
  /// - Throws: `.voiceProcessingUnavailable` without the library, or if the reference cannot be
  ///   converted.
  public mutating func process(_ buffer: AudioBuffer) throws(AudioPlayerError) -> [AudioBuffer] {
    guard !buffer.isEmpty else { return [] }
    let isBreak = continuity.check(buffer).isBreak
    let rest = isBreak ? try flush() : []
    if isBreak { timeline?.restart() }
    if voices.isEmpty || buffer.format != format { try begin(buffer.format) }
    if pending.isEmpty, !isDelayed { next = buffer.firstFrame }
    pending += buffer.samples
    captureInfo.add(buffer)
    origin = buffer.hostTime.map { $0 - buffer.firstFrame.duration(at: format.sampleRate) }
    return rest + (try advance(isLast: false))
  }

  /// Returns the last frames.
  public mutating func flush() throws(AudioPlayerError) -> [AudioBuffer] {
    guard heldFrames > 0, let frame = voices.first?.frame else { return [] }
    let count = heldFrames.rawValue
    let whole = (count + frame - 1) / frame * frame + (isDelayed ? 0 : frame)
    let held = isDelayed ? count - frame : count
    pending += [Float](repeating: 0, count: max(0, whole - held) * format.channelCount)
    let output = try advance(isLast: true)
    (pending, isDelayed) = ([], false)
    return output.map { $0.frames(0..<min($0.frameCount, FrameCount(count))) }
  }

  private mutating func begin(_ format: AudioFormat) throws(AudioPlayerError) {
    self.format = format
    timeline = reference.map { ReferenceTimeline(at: format.sampleRate, $0) }
    var voices: [SpeexVoice] = []
    for _ in 0..<format.channelCount { voices.append(try makeVoice(format.sampleRate)) }
    self.voices = voices
  }

  /// Processes the complete 10 ms frames whose reference has arrived, or all if `isLast` is true.
  private mutating func advance(isLast: Bool) throws(AudioPlayerError) -> [AudioBuffer] {
    guard let frame = voices.first?.frame else { return [] }
    do throws(ResamplingError) {
      try timeline?.update()
    } catch {
      throw .voiceProcessingUnavailable(reason: "\(error)")
    }
    let (channels, first) = (format.channelCount, isDelayed ? next - FrameCount(frame) : next)
    var (output, start) = ([Float](), 0)
    while pending.count - start >= frame * channels {
      let time = origin.map { $0 + next.duration(at: format.sampleRate) }
      let isWaiting = time.map { timeline?.isIncomplete(at: $0, frame) ?? false } ?? false
      if isWaiting, !isLast, pending.count - start < 4 * frame * channels { break }
      let played = time.flatMap { timeline?.frames(at: $0, frame) }
      let result = process(
        pending[start..<(start + frame * channels)],
        reference: played ?? [Float](repeating: 0, count: frame))
      if isDelayed { output += result }
      isDelayed = true
      next += FrameCount(frame)
      start += frame * channels
    }
    pending.removeFirst(start)
    guard !output.isEmpty else { return [] }
    return [
      captureInfo.applied(to: AudioBuffer(format: format, samples: output, firstFrame: first))
    ]
  }

  /// Processes 10 ms of interleaved samples, each channel separately.
  private func process(_ samples: ArraySlice<Float>, reference: [Float]) -> [Float] {
    let channels = voices.count
    var result = [Float](repeating: 0, count: samples.count)
    for (channel, voice) in voices.enumerated() {
      let one = stride(from: samples.startIndex + channel, to: samples.endIndex, by: channels)
      let processed = voice.process(one.lazy.map { samples[$0] }, reference: reference)
      for (index, sample) in processed.enumerated() { result[index * channels + channel] = sample }
    }
    return result
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Removes a player's sound and background noise from a capture; see `VoiceProcessor`.
  ///
  /// This suits an assistant that listens while it speaks:
  ///
  /// ```swift
  /// let microphone = await recorder.capture(request: request).voiceProcessed(reference: player)
  /// ```
  ///
  /// Only audio with a `hostTime`, such as that of a live capture, gets echo cancellation.
  ///
  /// - Parameters:
  ///   - player: the player whose sounds are removed; nil without echo cancellation.
  ///   - device: the device that plays the sounds; nil for the device that the player opened last.
  ///   - tail: the longest time from the loudspeaker to the microphone, including reverberation; at
  ///     most 2 s.
  ///   - noiseSuppression: the attenuation of noise and residual echo; nil for none.
  ///   - gainControl: the level to which speech is amplified, such as -12 dB; nil for none.
  /// - Throws: the errors of this sequence, and `AudioPlayerError.voiceProcessingUnavailable`.
  public func voiceProcessed(
    reference player: AudioPlayerClient?, device: AudioDevice.ID? = nil,
    tail: Duration = .milliseconds(200), noiseSuppression: Decibels? = Decibels(-15),
    gainControl: Decibels? = nil
  ) -> ProcessedAudio<Self, VoiceProcessor, any Error> {
    processed(
      by: VoiceProcessor(
        reference: player?.makeMixReader(device: device), tail: tail,
        noiseSuppression: noiseSuppression, gainControl: gainControl))
  }
}
