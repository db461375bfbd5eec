import AudioCore
import SpeechClient
import SpeechEngine

/// Cuts a stream at 16 kHz into utterances.
struct UtteranceFinder {
  enum Action: Equatable {
    /// An utterance begins at this frame of the stream, and its first sound begins at `sound`.
    case begin(at: FrameCount, sound: FrameCount)
    /// These samples come next in the utterance.
    case audio([Float])
    /// The utterance continues at frame `at` of the stream; its next sound begins at `sound`.
    ///
    /// The audio before that frame ends with `after` frames of silence. Only `UtteranceJoiner`
    /// returns this action.
    case resume(after: FrameCount, certainty: Double, at: FrameCount, sound: FrameCount)
    /// The utterance may be over; it ends with this duration of silence.
    case pause(silence: FrameCount)
    /// The utterance is over; it ends with this duration of silence, and `certainty` is the
    /// detector's highest probability of speech in the utterance.
    case end(silence: FrameCount, certainty: Double)
  }

  /// The probability of speech at which an utterance begins, and the lowest at which speech
  /// continues.
  private static let (onset, hold) = (0.5, 0.35)

  private let detector: any SpeechActivitySession
  /// The number of samples that are judged at a time.
  private let step: Int
  private var endpointer: Endpointer
  private let kept: Int
  private let preRoll: FrameCount
  /// The silence that is passed on at once; the rest of a pause is withheld until speech continues.
  ///
  /// Nil to pass on all silence.
  private let tail: FrameCount?
  /// The number of samples of a cut utterance that also belong to the next utterance.
  private let overlap: Int
  /// The audio that is still needed: between utterances, as much as the next utterance may include.
  private var audio: [Float] = []
  /// The number of samples in `audio` that have been passed on.
  private var given = 0
  /// The number of samples in `audio` that have been judged.
  private var judged = 0
  /// The highest probability of speech in the utterance, or in the speech that may begin an
  /// utterance.
  private var certainty = 0.0
  /// The number of samples in `audio` that the detector has received.
  private var measured = 0
  /// The position in the stream of the first sample in `audio`.
  private var position: FrameCount = 0

  /// Creates a finder.
  ///
  /// `overlap` is the part of an utterance of maximum length that the next utterance repeats; at
  /// most half of `maximumLength`.
  init(
    policy: EndpointPolicy = EndpointPolicy(), overlap: Duration = .zero,
    detector: SpeechActivityDetector = .energy
  ) {
    let policy = policy.usable
    let overlap = min(overlap, policy.maximumLength / 2)
    let session = detector.makeSession()
    let step = max(1, session.frameLength.rawValue)
    endpointer = Endpointer(policy: policy, overlap: overlap, frameLength: FrameCount(step))
    kept = endpointer.reach * step
    self.overlap = FrameCount(overlap, at: .speech).rawValue
    preRoll = FrameCount(endpointer.preRoll * step)
    tail = policy.tailPadding.map {
      FrameCount(FrameCount($0, at: .speech).rawValue / step * step)
    }
    (self.detector, self.step) = (session, step)
  }

  /// Returns the zeros to append to an utterance that ended with `silence`.
  ///
  /// With them, the utterance ends with the silence that the policy and the engine (`wanted`)
  /// require, and has at least the engine's minimum length (`shortest`).
  func padding(
    after silence: FrameCount, wanted: Duration = .zero, length: FrameCount = 0,
    shortest: Duration = .zero
  ) -> [Float] {
    let missing = max(
      max(tail ?? 0, FrameCount(wanted, at: .speech)) - silence,
      FrameCount(shortest, at: .speech) - length)
    return Array(repeating: 0, count: max(0, missing.rawValue))
  }

  /// Adds the next samples.
  mutating func add(_ samples: [Float]) throws(SpeechEngineError) -> [Action] {
    audio += samples
    var actions: [Action] = []
    while audio.count - measured >= step {
      let probabilities = try detector.process(audio[measured..<measured + step])
      measured += step
      actions += judge(probabilities)
    }
    return actions + passOn()
  }

  /// Ends the current utterance, because the audio has ended or has a gap.
  mutating func flush() -> [Action] {
    let actions = judge(detector.flush())
    guard endpointer.isInUtterance else { return actions }
    // The last samples do not fill a frame, so they have not been judged. They are withheld if the
    // silence at the end already reaches `tail`; otherwise, they are passed on.
    let hasPassedTail = quiet > 0 && tail.map { quiet >= $0 } ?? false
    let end =
      passing(upTo: (hasPassedTail ? judged : audio.count) - withheldSilence)
      + [.end(silence: silence, certainty: certainty)]
    endpointer.end()
    certainty = 0
    return actions + end
  }

  /// The number of samples that the finder keeps.
  var pendingCount: Int { audio.count }

  /// The end of the judged audio in the stream.
  var judgedEnd: FrameCount { position + FrameCount(judged) }

  /// The earliest frame of the stream at which the next utterance can begin.
  ///
  /// It depends only on how much audio has been judged, not on the lengths of the added buffers.
  var earliestStart: FrameCount { judgedEnd - FrameCount(kept) }

  /// Whether there is a current utterance.
  var isInUtterance: Bool { endpointer.isInUtterance }

  /// Whether the newest frame is silent.
  var isInPause: Bool { endpointer.silentFrames > 0 }

  /// Continues at another position in the stream; pending audio is dropped.
  mutating func skip(to frame: FrameCount) {
    audio = []
    (given, judged, measured) = (0, 0, 0)
    (position, certainty) = (frame, 0)
    endpointer.forgetPast()
  }

  /// Judges the next frames, one for each of the detector's probabilities.
  private mutating func judge(_ probabilities: [Double]) -> [Action] {
    var actions: [Action] = []
    for probability in probabilities where judged < measured {
      let energy = audio[judged..<judged + step].energy
      let isSpeech = probability >= (endpointer.isInUtterance ? Self.hold : Self.onset)
      certainty = isSpeech || endpointer.isInUtterance ? max(certainty, probability) : 0
      judged += step
      actions += act(on: endpointer.add(isSpeech: isSpeech, energy: energy))
    }
    return actions
  }

  private mutating func act(on event: Endpointer.Event) -> [Action] {
    switch event {
    case .none: return []
    case .paused: return passing(upTo: judged - withheldSilence) + [.pause(silence: silence)]
    case .began(let framesBack):
      let back = framesBack * step
      let sound = position + FrameCount(judged - back) + preRoll
      drop(max(0, judged - back))
      return [.begin(at: position, sound: sound)]
    case .ended:
      let audio = passing(upTo: judged - withheldSilence)
      // The utterance may have ended because the nearest voice paused. If the detector found other
      // voices in that pause, a part of the pause has already been passed on.
      let silence = max(0, quiet - FrameCount(judged - given))
      defer { certainty = 0 }
      drop(given)
      return audio + [.end(silence: silence, certainty: certainty)]
    case .cut(let framesBack):
      // Unlike at the end of an utterance, `certainty` is not reset, because the next utterance
      // continues the same speech.
      let end =
        passing(upTo: judged - framesBack * step) + [.end(silence: 0, certainty: certainty)]
      let sound = position + FrameCount(given)
      given = 0
      return end + [.begin(at: position, sound: sound)]
    }
  }

  /// The number of silent frames at the end of the judged audio.
  private var quiet: FrameCount { FrameCount(endpointer.silentFrames * step) }

  /// The part of the trailing silence that is passed on at once: all of it, or at most `tail`.
  private var silence: FrameCount { min(quiet, tail ?? quiet) }

  /// The number of judged samples that are withheld until speech continues.
  private var withheldSilence: Int { min(judged, (quiet - silence).rawValue) }

  private mutating func passOn() -> [Action] {
    guard endpointer.isInUtterance else {
      // Samples are removed rarely, because each removal moves the remaining samples.
      if judged > 2 * kept { drop(judged - kept) }
      return []
    }
    let withheld = max(withheldSilence, endpointer.framesAfterCut * step)
    return passing(upTo: judged - withheld)
  }

  /// Passes on the audio before the frame `end`.
  ///
  /// The last `overlap` samples are also kept, because the next utterance may begin with them.
  private mutating func passing(upTo end: Int) -> [Action] {
    guard end > given else { return [] }
    let samples = Array(audio[given..<end])
    given = end
    drop(max(0, given - overlap))
    return [.audio(samples)]
  }

  private mutating func drop(_ count: Int) {
    // `removeFirst` is not used: if a block that was passed on shares the array's memory,
    // `removeFirst` first copies the whole array, including the samples to remove.
    if count > 0 { audio = Array(audio[count...]) }
    given = max(0, given - count)
    judged -= min(judged, count)
    measured -= min(measured, count)
    position = position + FrameCount(count)
  }
}

extension ArraySlice<Float> {
  /// The sum of the squares, after removing the DC offset.
  fileprivate var energy: Double {
    let mean = reduce(0, +) / Float(count)
    return reduce(into: 0.0) { $0 += Double(($1 - mean) * ($1 - mean)) }
  }
}
