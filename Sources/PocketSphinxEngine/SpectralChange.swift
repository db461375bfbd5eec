import AudioCore

/// Tells speech from steady sounds (noise, hum, tones, beeps), of which PocketSphinx makes words
/// and commands: how much the spectrum changes from one 40 ms to the next, whatever its level.
///
/// Between the sounds of speech it changes by 3 to 7, within noise and tones by less than 2. In
/// an utterance any third of a second that changes is enough, or a tenth that changes clearly: a
/// word before or behind one that somebody draws out.
struct SpectralChange {
  /// What the median of the changes is in speech at least.
  static let least: Float = 2.4
  /// How many changes are looked at together: a third of a second.
  static let count = 15
  /// What each of the changes in a tenth of a second is at least where they are clear.
  static let clear: Float = 3.2
  /// How many clear ones in a row are enough: a tenth of a second.
  static let clearCount = 5
  /// With fewer changes than this nothing can be told.
  static let fewest = 4
  /// What is so much quieter than the loudest sound, as a power, does not count: the background.
  static let loud: Float = 0.015

  private struct Change {
    var size: Float
    /// The power of the quietest 10 ms of the two stretches.
    var power: Float
  }

  /// A change is taken every so many frames of 10 ms, between stretches of so many.
  private static let hop = 2
  private static let stretch = 4
  /// How far back a look goes, in changes.
  private static let reach = 100

  private var powers: [Float] = []
  private var rest: [Int16] = []
  private var cepstra: [[Float]] = []
  private var changes: [Change] = []
  private var loudest: Float = 0

  /// Whether a third of a second has changed as speech does, or a tenth clearly.
  private(set) var hasChanged = false

  /// Whether the utterance, which has ended, can be speech; where it is too short to tell, yes.
  var canBeSpeech: Bool {
    if hasChanged { return true }
    let counting = counting
    return counting.count < Self.fewest || Self.median(of: counting) >= Self.least
  }

  /// Takes the samples that the next cepstra belong to.
  mutating func add(_ samples: [Int16]) {
    rest += samples
    let length = Decoder.samplesPerFrame
    for begin in stride(from: 0, through: rest.count - length, by: length) {
      powers.append(Self.power(of: rest[begin..<(begin + length)]))
    }
    rest.removeFirst(rest.count / length * length)
  }

  /// Takes the cepstrum of the next frame of 10 ms, its first coefficient being the energy.
  mutating func add(_ cepstrum: [Float]) {
    cepstra.append(Array(cepstrum.dropFirst()))
    let needed = 2 * Self.stretch
    guard cepstra.count == needed else { return }
    note(Self.distance(cepstra[..<Self.stretch], cepstra[Self.stretch...]))
    cepstra.removeFirst(Self.hop)
    powers.removeFirst(min(Self.hop, powers.count))
  }

  private mutating func note(_ size: Float) {
    let power = powers.prefix(2 * Self.stretch).min() ?? 0
    loudest = max(loudest, powers.prefix(2 * Self.stretch).max() ?? 0)
    changes.append(Change(size: size, power: power))
    if changes.count > Self.reach { changes.removeFirst() }
    let counting = counting
    let clear = counting.prefix(Self.clearCount)
    if counting.count == Self.count && Self.median(of: counting) >= Self.least
      || clear.count == Self.clearCount && clear.allSatisfy({ $0 >= Self.clear })
    {
      hasChanged = true
    }
  }

  /// The newest changes between loud sounds.
  private var counting: [Float] {
    let least = loudest * Self.loud
    return Array(
      changes.lazy.reversed().filter { $0.power > least }.prefix(Self.count).map(\.size))
  }

  private static func median(of sizes: [Float]) -> Float { sizes.sorted()[sizes.count / 2] }

  private static func power(of samples: ArraySlice<Int16>) -> Float {
    samples.reduce(into: 0) { $0 += Float($1) * Float($1) } / Float(samples.count)
  }

  /// How far the means of two stretches are from each other.
  private static func distance(_ first: ArraySlice<[Float]>, _ second: ArraySlice<[Float]>) -> Float
  {
    let width = first.first?.count ?? 0
    let square = (0..<width).reduce(into: Float(0)) { square, index in
      let difference = first.reduce(0) { $0 + $1[index] } - second.reduce(0) { $0 + $1[index] }
      square += difference * difference
    }
    return square.squareRoot() / Float(stretch)
  }
}
