import AudioCore
import SpeechClient
import SpeechEngine

/// Finds utterances from a detector's judgments, one for each frame.
struct Endpointer {
  enum Event: Equatable {
    case none
    /// An utterance has begun this many frames before the end of the one just judged, pre-roll
    /// included.
    case began(framesBack: Int)
    /// The utterance may have ended: as many frames as make a pause were no speech.
    case paused
    /// The utterance has ended with the frame just judged.
    case ended
    /// The utterance has its maximum length: it ended this many frames before the end of the one
    /// just judged, and the next one begins there.
    case cut(framesBack: Int)
  }

  /// Among other voices, a shorter pause is often one between two words.
  private static let leastForegroundPause = Duration.milliseconds(600)

  private let policy: EndpointPolicy
  private let frameLength: FrameCount
  /// How much of a cut utterance the next one repeats.
  private let overlap: Int
  /// How many frames without speech make a pause.
  private let pause: Int
  private var foreground: ForegroundMeter
  /// The number of foreground-pause frames that end an utterance even while the detector finds speech.
  private let foregroundPause: Int
  private var speechFrames = 0
  /// How many of the newest frames were no speech.
  private(set) var silentFrames = 0
  /// How long the utterance is; nil between utterances.
  private var length: Int?
  /// How many frames have been judged, as far as the first utterance may reach back.
  private var judgedFrames = 0
  /// Whether the stream begins within the utterance.
  private var beganWithin = false
  /// The quietest frame near the limit: its energy, and how long the utterance was with it.
  private var quietest: (energy: Double, length: Int)?

  init(
    policy: EndpointPolicy, overlap: Duration = .zero,
    frameLength: FrameCount = FrameCount(.milliseconds(10), at: .speech)
  ) {
    (self.policy, self.frameLength) = (policy, frameLength)
    self.overlap = overlap.frames(of: frameLength)
    foreground = ForegroundMeter(frameLength: frameLength)
    foregroundPause = max(policy.silence, Self.leastForegroundPause).frames(of: frameLength)
    // A pause is at least as long as all the silence that the engine gets.
    pause = max(EndpointPolicy.pause, policy.tailPadding ?? .zero).frames(of: frameLength)
  }

  /// How many frames before the first speech belong to an utterance.
  var preRoll: Int { frames(policy.preRoll) }

  /// How far before the end of the frame just judged an utterance may begin.
  var reach: Int { preRoll + frames(policy.onset) }

  /// How many frames it takes to last so long.
  private func frames(_ duration: Duration) -> Int { duration.frames(of: frameLength) }

  var isInUtterance: Bool { length != nil }

  /// How many of the newest frames go to the next utterance if this one has to be cut.
  var framesAfterCut: Int {
    guard let quietest, let length else { return 0 }
    return length - quietest.length
  }

  /// Takes the judgment of the next frame, and its energy.
  mutating func add(isSpeech: Bool, energy: Double = 0) -> Event {
    speechFrames = isSpeech ? speechFrames + 1 : 0
    silentFrames = isSpeech ? 0 : silentFrames + 1
    judgedFrames = min(judgedFrames + 1, reach)
    foreground.add(energy, isSpeech: isSpeech)
    guard let length else { return beginning() }
    let longer = length + 1
    self.length = longer
    noteQuietest(energy, longer)
    // In a pause there is nothing to cut.
    let isLongest = longer >= frames(policy.maximumLength)
    if foreground.pauseFrames >= foregroundPause {
      silentFrames = foreground.pauseFrames
      end()
      return .ended
    }
    if hasPaused(longer) || isLongest && silentFrames >= pause {
      end()
      return .ended
    }
    if isLongest { return cut() }
    return silentFrames == pause ? .paused : .none
  }

  /// Ends the utterance, if there is one.
  mutating func end() {
    length = nil
    quietest = nil
    speechFrames = 0
    foreground.end()
  }

  /// Forgets the levels so far: the stream continues after a gap, perhaps with another voice.
  mutating func forgetPast() {
    foreground = ForegroundMeter(frameLength: frameLength)
  }

  private mutating func beginning() -> Event {
    guard speechFrames >= frames(policy.onset) else { return .none }
    let framesBack = speechFrames + preRoll
    length = framesBack
    beganWithin = judgedFrames < framesBack
    return .began(framesBack: framesBack)
  }

  /// Finds where to cut in the last tenth of the longest utterance.
  private mutating func noteQuietest(_ energy: Double, _ length: Int) {
    let longest = frames(policy.maximumLength)
    guard length >= longest - longest / 10 else { return }
    if energy <= quietest?.energy ?? .infinity { quietest = (energy, length) }
  }

  /// Where the stream began within the utterance nothing is known of the background but its pauses:
  /// a long one might be quiet speech, and it takes twice the silence to end it.
  private func hasPaused(_ length: Int) -> Bool {
    let isLong = length >= frames(policy.preferredLength)
    let needed = frames(isLong ? policy.shortSilence : policy.silence)
    return silentFrames >= (beganWithin ? 2 * needed : needed)
  }

  private mutating func cut() -> Event {
    let framesBack = framesAfterCut
    length = framesBack + overlap
    quietest = nil
    beganWithin = false
    return .cut(framesBack: framesBack)
  }
}

extension Duration {
  /// How many frames it takes to last so long.
  func frames(of length: FrameCount) -> Int {
    (FrameCount(self, at: .speech).rawValue + length.rawValue - 1) / length.rawValue
  }
}

extension EndpointPolicy {
  /// After this much silence an engine may decode the utterance so far, because it may be complete.
  static let pause = Duration.milliseconds(200)

  /// The usable policy, with utterances no longer than the engine accepts.
  ///
  /// An engine that anticipates the end of an utterance gets no more silence than it waits for.
  func fitted(to traits: SpeechSessionTraits) -> EndpointPolicy {
    var policy = usable
    if traits.decodeInterval != nil { policy.tailPadding = policy.tailPadding ?? Self.pause }
    let longest = traits.utteranceLength.upperBound - (policy.tailPadding ?? .zero)
    policy.maximumLength = min(policy.maximumLength, max(longest, .seconds(1)))
    return policy
  }

  /// The policy with every duration in a valid range: an utterance begins with speech and ends.
  var usable: EndpointPolicy {
    let step = Duration.milliseconds(10)
    let hour = Duration.seconds(3600)
    return EndpointPolicy(
      preRoll: preRoll.clamped(.zero, .seconds(10)), onset: onset.clamped(step, .seconds(10)),
      silence: silence.clamped(step, hour), preferredLength: preferredLength.clamped(.zero, hour),
      shortSilence: shortSilence.clamped(step, hour),
      maximumLength: maximumLength.clamped(.seconds(1), hour),
      tailPadding: tailPadding?.clamped(.zero, .seconds(10)), joinsUtterances: joinsUtterances)
  }
}

extension Duration {
  fileprivate func clamped(_ least: Duration, _ most: Duration) -> Duration {
    min(max(self, least), most)
  }
}
