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
  }

  private let policy: EndpointPolicy
  private var speechFrames = 0
  /// How many of the newest frames were no speech.
  private(set) var silentFrames = 0
  /// How long the utterance is; nil between utterances.
  private var length: Int?

  init(policy: EndpointPolicy) {
    self.policy = policy
  }

  var isInUtterance: Bool { length != nil }

  /// Takes the judgement of the next frame.
  mutating func add(isSpeech: Bool) -> Event {
    speechFrames = isSpeech ? speechFrames + 1 : 0
    silentFrames = isSpeech ? 0 : silentFrames + 1
    guard let length else { return beginning() }
    self.length = length + 1
    guard isOver(length: length + 1) else { return .none }
    end()
    return .ended
  }

  /// Ends the utterance, if there is one.
  mutating func end() {
    length = nil
    speechFrames = 0
  }

  private mutating func beginning() -> Event {
    guard speechFrames >= policy.onset.inDetectorFrames else { return .none }
    let framesBack = speechFrames + policy.preRoll.inDetectorFrames
    length = framesBack
    return .began(framesBack: framesBack)
  }

  private func isOver(length: Int) -> Bool {
    let isLong = length >= policy.comfortable.inDetectorFrames
    let needed = isLong ? policy.shortSilence : policy.silence
    return silentFrames >= needed.inDetectorFrames || length >= policy.longest.inDetectorFrames
  }
}

extension Duration {
  /// The duration in frames of the detector.
  fileprivate var inDetectorFrames: Int {
    FrameCount(self, at: .speech).rawValue / SpeechDetector.frameLength.rawValue
  }
}
