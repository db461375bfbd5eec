import AudioCore
import SpeechClient

/// Finds the utterances in a row of judgements of 10 ms each.
struct Endpointer {
  enum Event: Equatable {
    case none
    /// An utterance has begun so many frames before the end of the one just judged, pre-roll
    /// included.
    case began(framesBack: Int)
    /// The utterance has ended with the frame just judged.
    case ended
    /// The utterance is as long as it may be: it ended so many frames before the end of the one
    /// just judged, and the next one goes on from there.
    case cut(framesBack: Int)
  }

  private let policy: EndpointPolicy
  /// How much of a cut utterance the next one repeats.
  private let overlap: Int
  private var speechFrames = 0
  /// How many of the newest frames were no speech.
  private(set) var silentFrames = 0
  /// How long the utterance is; nil between utterances.
  private var length: Int?
  /// How many frames have been judged, as far as the first utterance may reach back.
  private var judgedFrames = 0
  /// Whether the stream begins within the utterance.
  private var beganWithin = false
  /// The quietest frame near the limit: its level, and how long the utterance was with it.
  private var quietest: (level: Double, length: Int)?

  init(policy: EndpointPolicy, overlap: Duration = .zero) {
    self.policy = policy
    self.overlap = overlap.inDetectorFrames
  }

  var isInUtterance: Bool { length != nil }

  /// How many of the newest frames go to the next utterance if this one has to be cut.
  var framesAfterCut: Int {
    guard let quietest, let length else { return 0 }
    return length - quietest.length
  }

  /// Takes the judgement of the next frame, and its level.
  mutating func add(isSpeech: Bool, level: Double = 0) -> Event {
    speechFrames = isSpeech ? speechFrames + 1 : 0
    silentFrames = isSpeech ? 0 : silentFrames + 1
    judgedFrames = min(judgedFrames + 1, (policy.preRoll + policy.onset).inDetectorFrames)
    guard let length else { return beginning() }
    let longer = length + 1
    self.length = longer
    noteQuietest(level, longer)
    if hasPaused(longer) {
      end()
      return .ended
    }
    return longer >= policy.longest.inDetectorFrames ? cut() : .none
  }

  /// Ends the utterance, if there is one.
  mutating func end() {
    length = nil
    quietest = nil
    speechFrames = 0
  }

  private mutating func beginning() -> Event {
    guard speechFrames >= policy.onset.inDetectorFrames else { return .none }
    let framesBack = speechFrames + policy.preRoll.inDetectorFrames
    length = framesBack
    beganWithin = judgedFrames < framesBack
    return .began(framesBack: framesBack)
  }

  /// Looks for the place to cut in the last tenth of the longest utterance.
  private mutating func noteQuietest(_ level: Double, _ length: Int) {
    let longest = policy.longest.inDetectorFrames
    guard length >= longest - longest / 10 else { return }
    if level <= quietest?.level ?? .infinity { quietest = (level, length) }
  }

  /// Where the stream began within the utterance nothing is known of the background but its pauses:
  /// a long one might be quiet speech, and it takes twice the silence to end it.
  private func hasPaused(_ length: Int) -> Bool {
    let isLong = length >= policy.comfortable.inDetectorFrames
    let needed = (isLong ? policy.shortSilence : policy.silence).inDetectorFrames
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
  /// The duration in frames of the detector.
  fileprivate var inDetectorFrames: Int {
    FrameCount(self, at: .speech).rawValue / SpeechDetector.frameLength.rawValue
  }
}
