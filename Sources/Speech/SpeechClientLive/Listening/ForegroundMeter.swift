import AudioCore

/// Finds the pauses of the nearest voice while other voices go on.
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
  /// How long the detector has found no pause.
  private static let endurance = Duration.milliseconds(3200)
  /// In a pause, the level is at most this far above the quietest tenth, and at least this far below
  /// the loudest, as a ratio of energies: 8 dB.
  private static let ratio = 6.3

  private let (memory, span, endurance): (Int, Int, Int)
  /// The energies of the newest frames, and their averages, each in the place of the oldest one.
  private var energies: [Double] = []
  private var levels: [Double] = []
  private var frameCount = 0
  /// How many of the newest frames the detector has judged to be speech.
  private var speechFrames = 0
  /// Whether the nearest voice was found in the current utterance.
  private var hasForeground = false
  /// How many of the newest frames are a pause of the nearest voice.
  private(set) var pauseFrames = 0

  init(frameLength: FrameCount) {
    (memory, span, endurance) = (
      Self.memory.frames(of: frameLength), Self.span.frames(of: frameLength),
      Self.endurance.frames(of: frameLength)
    )
  }

  /// Takes the energy of the next frame, and whether the detector judged it to be speech.
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
  /// Counting gives what sorting would, without copying the levels for each frame.
  private var isLastQuiet: Bool {
    let last = levels[(frameCount - 1) % memory]
    let quieter = levels.count { $0 * Self.ratio < last }
    let louder = levels.count { last * Self.ratio < $0 }
    return quieter <= levels.count / 10 && louder >= levels.count - levels.count * 9 / 10
  }
}
