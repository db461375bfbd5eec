import AudioCore
import SpeechClient
import SpeechEngine

/// Finds utterances from a detector's judgments, one for each frame.
struct Endpointer {
  enum Event: Equatable {
    case none
    /// An utterance began this number of frames before the end of the judged frame, pre-roll
    /// included.
    case began(framesBack: Int)
    /// The utterance may have ended, because the frames of a whole pause were not speech.
    case paused
    /// The utterance has ended with the frame just judged.
    case ended
    /// The utterance has its maximum length: it ended this number of frames before the end of the
    /// judged frame, and the next utterance begins there.
    case cut(framesBack: Int)
  }

  /// Among other voices, a shorter pause is often one between two words.
  private static let leastForegroundPause = Duration.milliseconds(600)

  private let frameLength: FrameCount
  /// The number of frames before the first speech that belong to an utterance.
  let preRoll: Int
  // The other durations of the policy, in frames.
  private let onset: Int
  private let silence: Int
  private let preferredLength: Int
  private let shortSilence: Int
  private let maximumLength: Int
  /// The number of frames of a cut utterance that the next one repeats.
  private let overlap: Int
  /// The number of frames without speech that make a pause.
  private let pause: Int
  private var foreground: ForegroundMeter
  /// The number of foreground-pause frames that end an utterance even while the detector finds speech.
  private let foregroundPause: Int
  private var speechFrames = 0
  /// The number of newest frames without speech.
  private(set) var silentFrames = 0
  /// The length of the utterance in frames; nil between utterances.
  private var length: Int?
  /// The number of judged frames, at most the reach of the first utterance.
  private var judgedFrames = 0
  /// Whether the stream begins within the utterance.
  private var beganWithin = false
  /// The quietest frame near the limit: its energy, and the length of the utterance up to it.
  private var quietest: (energy: Double, length: Int)?

  init(
    policy: EndpointPolicy, overlap: Duration = .zero,
    frameLength: FrameCount = FrameCount(.milliseconds(10), at: .speech)
  ) {
    self.frameLength = frameLength
    preRoll = policy.preRoll.frames(of: frameLength)
    onset = policy.onset.frames(of: frameLength)
    silence = policy.silence.frames(of: frameLength)
    preferredLength = policy.preferredLength.frames(of: frameLength)
    shortSilence = policy.shortSilence.frames(of: frameLength)
    maximumLength = policy.maximumLength.frames(of: frameLength)
    self.overlap = overlap.frames(of: frameLength)
    foreground = ForegroundMeter(frameLength: frameLength)
    foregroundPause = max(policy.silence, Self.leastForegroundPause).frames(of: frameLength)
    // A pause is at least as long as all the silence that the engine gets.
    pause = max(EndpointPolicy.pause, policy.tailPadding ?? .zero).frames(of: frameLength)
  }

  /// The maximum number of frames between the start of an utterance and the end of the judged
  /// frame.
  var reach: Int { preRoll + onset }

  var isInUtterance: Bool { length != nil }

  /// The number of newest frames that go to the next utterance if this one is cut.
  var framesAfterCut: Int {
    guard let quietest, let length else { return 0 }
    return length - quietest.length
  }

  /// Adds the judgment and the energy of the next frame.
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
    let isLongest = longer >= maximumLength
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
    guard speechFrames >= onset else { return .none }
    let framesBack = speechFrames + preRoll
    length = framesBack
    beganWithin = judgedFrames < framesBack
    return .began(framesBack: framesBack)
  }

  /// Finds where to cut in the last tenth of the longest utterance.
  private mutating func noteQuietest(_ energy: Double, _ length: Int) {
    guard length >= maximumLength - maximumLength / 10 else { return }
    if energy <= quietest?.energy ?? .infinity { quietest = (energy, length) }
  }

  /// Whether the utterance has been silent for long enough to end.
  ///
  /// If the stream began in the middle of the utterance, the background is known only from the
  /// utterance's pauses, and a long pause might be quiet speech: twice the silence is required.
  private func hasPaused(_ length: Int) -> Bool {
    let needed = length >= preferredLength ? shortSilence : silence
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
  /// Returns the number of frames that last for a duration.
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

/// Finds the pauses of the nearest voice while other voices continue.
///
/// The detector judges those voices to be speech, too.
/// Among other voices the detector finds no pause for seconds. There, the level between the words of
/// the nearest voice is that of the others, which is far below its own.
/// Measured with six voices 10 dB below another one with pauses of a second: utterances end in 32 of
/// 33 pauses, instead of in none. None of 87 clips is cut anywhere else, nor in noise at 15 or 5 dB.
struct ForegroundMeter {
  /// The levels that count.
  private static let memory = Duration.seconds(6)
  /// Levels are averaged over this time.
  private static let span = Duration.milliseconds(250)
  /// The time without a detected pause after which the meter finds pauses.
  private static let endurance = Duration.milliseconds(3200)
  /// In a pause, the level is at most this far above the quietest tenth, and at least this far below
  /// the loudest, as a ratio of energies: 8 dB.
  private static let ratio = 6.3

  private let (memory, span, endurance): (Int, Int, Int)
  /// The energies and the average energies of the newest frames, as rings: new values overwrite the
  /// oldest.
  private var energies: [Double] = []
  private var levels: [Double] = []
  private var frameCount = 0
  /// The number of newest frames that the detector has judged to be speech.
  private var speechFrames = 0
  /// Whether the nearest voice was found in the current utterance.
  private var hasForeground = false
  /// The number of newest frames that are a pause of the nearest voice.
  private(set) var pauseFrames = 0

  init(frameLength: FrameCount) {
    (memory, span, endurance) = (
      Self.memory.frames(of: frameLength), Self.span.frames(of: frameLength),
      Self.endurance.frames(of: frameLength)
    )
  }

  /// Adds the energy of the next frame and the detector's judgment.
  mutating func add(_ energy: Double, isSpeech: Bool) {
    if energies.count < span {
      energies.append(energy)
    } else {
      energies[frameCount % span] = energy
    }
    let level = energies.reduce(0, +) / Double(energies.count)
    if levels.count < memory { levels.append(level) } else { levels[frameCount % memory] = level }
    frameCount += 1
    speechFrames = isSpeech ? speechFrames + 1 : 0
    let isQuiet = speechFrames >= endurance && isLastQuiet
    if !isQuiet { hasForeground = true }
    pauseFrames = isQuiet && hasForeground ? pauseFrames + 1 : 0
  }

  /// An utterance has ended.
  mutating func end() {
    (hasForeground, pauseFrames) = (false, 0)
  }

  /// Whether the last level is near the quietest tenth and far below the loudest.
  ///
  /// Counting has the result of sorting, without copying the levels for each frame.
  private var isLastQuiet: Bool {
    let last = levels[(frameCount - 1) % memory]
    let quieter = levels.count { $0 * Self.ratio < last }
    let louder = levels.count { last * Self.ratio < $0 }
    return quieter <= levels.count / 10 && louder >= levels.count - levels.count * 9 / 10
  }
}
