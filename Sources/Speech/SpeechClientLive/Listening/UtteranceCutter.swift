public import AudioCore
public import SpeechClient
public import SpeechEngine

/// A stretch of speech in a stream, with its times.
public struct SpokenUtterance: AudioBlock, Equatable, Sendable {
  /// The audio in the format of the stream, from the pre-roll to the silence that ended the
  /// utterance; frames keep their indices.
  public var buffer: AudioBuffer

  /// The frames of the stream from the start of the first sound to the end of the last sound.
  public var sound: Range<FrameCount>

  /// The detector's highest probability of speech, 0…1.
  public var certainty: Double

  /// The number of frames lost within the utterance, or right before or after the utterance.
  ///
  /// A word beside a gap may be incomplete. Within the utterance, each gap is at most 50 ms long
  /// and is silence in `buffer`.
  public var lostFrames: FrameCount

  /// Creates an utterance, by default one without lost frames.
  public init(
    buffer: AudioBuffer, sound: Range<FrameCount>, certainty: Double, lostFrames: FrameCount = 0
  ) {
    (self.buffer, self.sound) = (buffer, sound)
    (self.certainty, self.lostFrames) = (certainty, lostFrames)
  }

  /// The start of the first sound and the end of the last sound, measured from frame 0 of the
  /// stream.
  public var times: Range<Duration> { sound.timestamps(at: buffer.format.sampleRate) }
}

/// Cuts audio of any format into utterances, as the speech client does.
///
/// A detector finds speech in a copy at 16 kHz; the utterances have the original frames.
public struct UtteranceCutter: AudioProcessor {
  /// Any error, because the detector and the conversion have different errors.
  public typealias Failure = any Error

  /// The amount of audio that is converted at a time, so that a long buffer is not held twice.
  private static let step = Duration.milliseconds(100)

  private var conversion = SpeechConversion()
  private var finder: UtteranceFinder
  /// The audio that an utterance may still include, with silence in short gaps.
  private var held = HeldBuffers()
  private var format = AudioFormat.speech
  /// The frame where the search last restarted, as an index in the stream and as an index at 16
  /// kHz.
  private var origin: (frame: FrameCount, speech: FrameCount) = (0, 0)
  /// The index after the last received frame; nil before the first buffer.
  private var end: FrameCount?
  /// The lost frames in or beside the held audio.
  private var losses: [Range<FrameCount>] = []
  /// The current utterance at 16 kHz: the frames found so far, and the start of the first sound.
  private var current: (frames: Range<FrameCount>, sound: FrameCount) = (0..<0, 0)

  /// Creates a cutter.
  ///
  /// - Parameters:
  ///   - detector: finds the speech; it loads its model with the first audio.
  ///   - policy: determines the beginning and the end of an utterance.
  public init(detector: SpeechActivityDetector, policy: EndpointPolicy = EndpointPolicy()) {
    finder = UtteranceFinder(policy: policy, detector: detector)
  }

  /// The number of held frames: at most an utterance of maximum length, its pre-roll, and about a
  /// second that the detector has not judged.
  public var heldFrames: FrameCount { held.frameCount }

  /// Returns the utterances that have ended.
  public mutating func process(_ buffer: AudioBuffer) throws -> [SpokenUtterance] {
    let step = max(1, FrameCount(Self.step, at: buffer.format.sampleRate))
    var first: FrameCount = 0
    var utterances: [SpokenUtterance] = []
    while first < buffer.frameCount {
      let next = min(first + step, buffer.frameCount)
      var slice = buffer.frames(first..<next)
      if let silenced = slice.silenceNonFinite() { slice.silencedSampleCount += silenced.count }
      utterances += try add(slice)
      first = next
    }
    return utterances
  }

  /// Returns the current utterance, which ends with the audio.
  public mutating func flush() throws -> [SpokenUtterance] {
    var utterances = completed(by: try finder.add(try conversion.flush()))
    utterances += completed(by: finder.flush(), isEnd: true)
    _ = held.popAll()
    return utterances
  }

  private mutating func add(_ slice: AudioBuffer) throws -> [SpokenUtterance] {
    var slice = slice
    var utterances: [SpokenUtterance] = []
    let expected = slice.format == format ? end : nil
    // If the frame indices jump back, the slice is treated as directly following the earlier audio,
    // as in `SpeechConversion`.
    slice.firstFrame = max(expected ?? slice.firstFrame, slice.firstFrame)
    let missing = (expected ?? slice.firstFrame)..<slice.firstFrame
    if !missing.isEmpty { losses.append(missing) }
    if conversion.continues(with: slice) {
      let length = missing.upperBound - missing.lowerBound
      held.append(AudioBuffer(silence: length, format: format, firstFrame: missing.lowerBound))
    } else {
      utterances = try flush()
      begin(with: slice)
    }
    held.append(slice)
    end = slice.endFrame
    utterances += completed(by: try finder.add(try conversion.process(slice)))
    forget()
    return utterances
  }

  /// Restarts the search for utterances at `slice`, after a gap too long to fill or a change of
  /// format.
  private mutating func begin(with slice: AudioBuffer) {
    if slice.format != format { losses = [] }
    format = slice.format
    let speech = slice.firstFrame.converted(from: format.sampleRate, to: .speech)
    origin = (slice.firstFrame, speech)
    finder.skip(to: speech)
  }

  private mutating func completed(
    by actions: [UtteranceFinder.Action], isEnd: Bool = false
  ) -> [SpokenUtterance] {
    var utterances: [SpokenUtterance] = []
    for action in actions {
      switch action {
      case .begin(let start, let sound): current = (start..<start, sound)
      case .audio(let samples):
        let frames = current.frames
        current.frames = frames.lowerBound..<frames.upperBound + FrameCount(samples.count)
      case .end(let silence, let certainty):
        let ended = utterance(endingWith: silence, certainty: certainty, isEnd: isEnd)
        // If the audio ends where a long utterance was cut, the next utterance is empty.
        if !ended.buffer.isEmpty { utterances.append(ended) }
      case .pause, .resume: break
      }
    }
    return utterances
  }

  private mutating func utterance(
    endingWith silence: FrameCount, certainty: Double, isEnd: Bool
  ) -> SpokenUtterance {
    let last = frame(at: current.frames.upperBound, isEnd: isEnd)
    let first = min(frame(at: current.frames.lowerBound), last)
    let soundEnd = silence > 0 ? frame(at: current.frames.upperBound - silence) : last
    let soundStart = min(max(first, frame(at: current.sound)), last)
    _ = held.popFirst(first - heldStart)
    let pieces = held.popFirst(last - first)
    var buffer = AudioBuffer(
      format: format, samples: Array(pieces.map(\.samples).joined()), firstFrame: first)
    if let timed = pieces.first(where: { $0.hostTime != nil }) { buffer.setTime(from: timed) }
    buffer.silencedSampleCount = pieces.reduce(0) { $0 + $1.silencedSampleCount }
    let lost = losses.filter { $0.upperBound >= first && $0.lowerBound <= last }
    return SpokenUtterance(
      buffer: buffer, sound: soundStart..<max(soundStart, soundEnd), certainty: certainty,
      lostFrames: lost.reduce(0) { $0 + $1.upperBound - $1.lowerBound })
  }

  /// Drops the audio before the current utterance, or before the earliest possible next utterance.
  private mutating func forget() {
    let first = finder.isInUtterance ? current.frames.lowerBound : finder.earliestStart
    _ = held.popFirst(frame(at: first) - heldStart)
    let start = heldStart
    losses.removeAll { $0.upperBound < start }
  }

  /// The index of the first held frame.
  private var heldStart: FrameCount { (end ?? 0) - held.frameCount }

  /// Converts a frame index of the finder, at 16 kHz, to a frame index of the stream.
  ///
  /// The conversion rounds. If `isEnd` is true, an index that would therefore miss the end of the
  /// received audio by two frames at 16 kHz or less becomes that end.
  private func frame(at speech: FrameCount, isEnd: Bool = false) -> FrameCount {
    let rate = format.sampleRate
    let frame = origin.frame + (speech - origin.speech).converted(from: .speech, to: rate)
    let last = end ?? origin.frame
    let distance = FrameCount(2).converted(from: .speech, to: rate)
    return isEnd && last - frame <= distance ? last : min(frame, last)
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Yields the utterances of audio in any format, each when it has ended.
  ///
  /// ```swift
  /// for try await utterance in microphone.utterances(detector: .best) {
  ///   print(utterance.times)
  /// }
  /// ```
  ///
  /// An utterance longer than the policy's `maximumLength` is cut at its quietest frame, and the
  /// next utterance begins there. An utterance also ends at a gap of more than 50 ms, at a change
  /// of format, and at the end of the audio. Memory is limited by the maximum length.
  ///
  /// Detection runs on the thread where the sequence is iterated, so keep it off the main actor.
  /// The first audio blocks that thread while `.silero()` loads its model, or waits for another
  /// stream that loads it. In a nonisolated loop, that thread belongs to Swift's cooperative pool.
  ///
  /// - Parameters:
  ///   - detector: finds the speech: `.energy`, `.silero()`, or `.best`, which is Silero if it is
  ///     installed, and otherwise the energy detector.
  ///   - policy: determines the beginning and the end of an utterance. Its `tailPadding` limits the
  ///     silence at the end and adds none; `joinsUtterances` has no effect.
  /// - Throws: the errors of this sequence, `ResamplingError`, and `SpeechEngineError` if the
  ///   detector is not installed or fails.
  public func utterances(
    detector: SpeechActivityDetector, policy: EndpointPolicy = EndpointPolicy()
  ) -> ProcessedAudio<Self, UtteranceCutter, any Error> {
    processed(by: UtteranceCutter(detector: detector, policy: policy))
  }
}
