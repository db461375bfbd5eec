import AudioCore
import SpeechClient

/// Cuts a stream at 16 kHz into utterances.
struct UtteranceFinder {
  enum Action: Equatable {
    /// An utterance begins with this frame of the stream, and the first sound in it with that one.
    case begin(at: FrameCount, sound: FrameCount)
    /// These samples come next in the utterance.
    case hear([Float])
    /// The utterance is over, after so much silence that was heard.
    case end(silence: FrameCount)
  }

  private var detector = SpeechDetector()
  private var endpointer: Endpointer
  private let kept: Int
  private let preRoll: FrameCount
  /// How much silence is given away before it is known whether speech goes on; nil for all of it.
  private let tail: FrameCount?
  /// The audio that has not been given away: between utterances, as much as the next may reach
  /// back.
  private var pending: [Float] = []
  /// How many of the pending samples have been judged.
  private var judged = 0
  /// The place of the first pending sample in the stream.
  private var position: FrameCount = 0

  init(policy: EndpointPolicy = EndpointPolicy()) {
    let policy = policy.usable
    endpointer = Endpointer(policy: policy)
    kept = FrameCount(policy.preRoll + policy.onset, at: .speech).rawValue
    let length = SpeechDetector.frameLength.rawValue
    preRoll = FrameCount(FrameCount(policy.preRoll, at: .speech).rawValue / length * length)
    tail = policy.tailPadding.map {
      FrameCount(FrameCount($0, at: .speech).rawValue / length * length)
    }
  }

  /// What the engine has to hear after an utterance that ended with so much silence.
  func padding(after silence: FrameCount, wanted: Duration = .zero) -> [Float] {
    let missing = max(tail ?? 0, FrameCount(wanted, at: .speech)) - silence
    return Array(repeating: 0, count: max(0, missing.rawValue))
  }

  /// Takes the next samples.
  mutating func add(_ samples: [Float]) -> [Action] {
    pending += samples
    var actions: [Action] = []
    let length = SpeechDetector.frameLength.rawValue
    while pending.count - judged >= length {
      let isSpeech = detector.isSpeech(
        pending[judged..<judged + length], inUtterance: endpointer.isInUtterance)
      judged += length
      actions += act(on: endpointer.add(isSpeech: isSpeech))
    }
    return actions + giveAway()
  }

  /// Ends the utterance that is going on: the audio has ended, or has a gap.
  mutating func finish() -> [Action] {
    guard endpointer.isInUtterance else { return [] }
    // The few samples that have not been judged count as what was before them.
    let actions = hearing(pending.count - withheld) + [.end(silence: silence)]
    endpointer.end()
    return actions
  }

  /// How many samples are held.
  var pendingCount: Int { pending.count }

  /// Goes on at another place of the stream; what was pending is forgotten.
  mutating func skip(to frame: FrameCount) {
    pending = []
    judged = 0
    position = frame
  }

  private mutating func act(on event: Endpointer.Event) -> [Action] {
    switch event {
    case .none: return []
    case .began(let framesBack):
      let back = framesBack * SpeechDetector.frameLength.rawValue
      let sound = position + FrameCount(judged - back) + preRoll
      _ = take(max(0, judged - back))
      return [.begin(at: position, sound: sound)]
    case .ended:
      return hearing(judged - withheld) + [.end(silence: silence)]
    }
  }

  /// How many frames are silence at the end of what was judged.
  private var quiet: FrameCount {
    FrameCount(endpointer.silentFrames * SpeechDetector.frameLength.rawValue)
  }

  /// How much of that is heard.
  private var silence: FrameCount { min(quiet, tail ?? quiet) }

  /// How many of the samples that were judged wait for speech to go on.
  private var withheld: Int { min(judged, (quiet - silence).rawValue) }

  private mutating func giveAway() -> [Action] {
    if endpointer.isInUtterance { return hearing(judged - withheld) }
    _ = take(max(0, judged - kept))
    return []
  }

  private mutating func hearing(_ count: Int) -> [Action] {
    count > 0 ? [.hear(take(count))] : []
  }

  private mutating func take(_ count: Int) -> [Float] {
    let samples = Array(pending[..<count])
    pending.removeFirst(count)
    judged -= min(judged, count)
    position = position + FrameCount(count)
    return samples
  }
}
