import AudioCore

/// Distinguishes speech from steady sounds by the change of the spectrum.
///
/// PocketSphinx recognizes noise, hum, tones, and beeps as words. The change is measured between
/// consecutive windows of 40 ms, independently of the level: it is 3 to 7 between the sounds of
/// speech, and below 2 within noise and tones. An utterance counts as speech after a third of a
/// second of change. A tenth of a second of clear change also suffices: a short word next to
/// a drawn-out word may contain no more change than that.
struct SpectralChangeDetector {
  /// The minimum median change that counts as speech.
  static let least: Float = 2.4
  /// The number of changes per decision: a third of a second.
  static let count = 15
  /// The minimum value of a clear change.
  static let clear: Float = 3.2
  /// The number of consecutive clear changes that suffice for speech: a tenth of a second.
  static let clearCount = 5
  /// The minimum number of changes for a decision.
  static let fewest = 4
  /// Sounds below this fraction of the loudest power are background and are ignored.
  static let loud: Float = 0.015

  /// The interval between two changes, in frames of 10 ms.
  private static let hop = 2
  private static let windowLength = 4
  /// The number of newest changes to keep.
  private static let reach = 100

  private var powers: [Float] = []
  private var rest: [Int16] = []
  private var cepstra: [[Float]] = []
  /// The newest changes, each with the power of the quietest 10 ms of its two windows.
  private var changes: [(size: Float, power: Float)] = []
  private var loudest: Float = 0

  /// Whether there has been a third of a second of speech-like change, or a tenth of a second of
  /// clear change.
  private(set) var hasChanged = false

  /// Whether the ended utterance can be speech; true if too little was measured for a decision.
  var canBeSpeech: Bool {
    if hasChanged { return true }
    let counting = counting
    return counting.count < Self.fewest || Self.median(of: counting) >= Self.least
  }

  /// Adds the samples from which the next cepstra are computed.
  mutating func add(_ samples: [Int16]) {
    rest += samples
    let length = Decoder.samplesPerFrame
    for begin in stride(from: 0, through: rest.count - length, by: length) {
      powers.append(Self.power(of: rest[begin..<(begin + length)]))
    }
    rest.removeFirst(rest.count / length * length)
  }

  /// Adds the cepstrum of the next 10 ms.
  ///
  /// The first coefficient is the energy, which is ignored.
  mutating func add(_ cepstrum: [Float]) {
    cepstra.append(Array(cepstrum.dropFirst()))
    let needed = 2 * Self.windowLength
    guard cepstra.count == needed else { return }
    note(Self.distance(cepstra[..<Self.windowLength], cepstra[Self.windowLength...]))
    cepstra.removeFirst(Self.hop)
    powers.removeFirst(min(Self.hop, powers.count))
  }

  private mutating func note(_ size: Float) {
    let power = powers.prefix(2 * Self.windowLength).min() ?? 0
    loudest = max(loudest, powers.prefix(2 * Self.windowLength).max() ?? 0)
    changes.append((size, power))
    if changes.count > Self.reach { changes.removeFirst() }
    let counting = counting
    let clear = counting.prefix(Self.clearCount)
    if counting.count == Self.count && Self.median(of: counting) >= Self.least
      || clear.count == Self.clearCount && clear.allSatisfy({ $0 >= Self.clear })
    {
      hasChanged = true
    }
  }

  /// The newest changes whose windows are both louder than the background, the newest first.
  private var counting: [Float] {
    let least = loudest * Self.loud
    return Array(
      changes.lazy.reversed().filter { $0.power > least }.prefix(Self.count).map(\.size))
  }

  private static func median(of sizes: [Float]) -> Float { sizes.sorted()[sizes.count / 2] }

  private static func power(of samples: ArraySlice<Int16>) -> Float {
    samples.reduce(into: 0) { $0 += Float($1) * Float($1) } / Float(samples.count)
  }

  /// Returns the distance between the mean cepstra of two windows.
  private static func distance(_ first: ArraySlice<[Float]>, _ second: ArraySlice<[Float]>) -> Float
  {
    let width = first.first?.count ?? 0
    let square = (0..<width).reduce(into: Float(0)) { square, index in
      let difference = first.reduce(0) { $0 + $1[index] } - second.reduce(0) { $0 + $1[index] }
      square += difference * difference
    }
    return square.squareRoot() / Float(windowLength)
  }
}
