import Glibc

/// Tells music, bells and ringing telephones from speech, of all of which PocketSphinx makes words
/// and commands: how much of the sound is in partials that keep their pitch.
///
/// A voice's pitch moves: from one twentieth of a second to the next hardly a tenth of its power
/// stays within two hertz, of a monotonous one a fifth. Of a melody, a chord or a ring more than
/// half of it does, whatever drums there are besides. Any half second that moves, and is not much
/// quieter than what was before it, is enough for speech: whoever speaks before a telephone rings,
/// or speaks up while it does, is heard.
struct SteadyTones {
  /// How much of the power keeps its pitch in speech at most.
  static let most: Float = 0.4
  /// How many looks are taken together: 0.6 s.
  static let count = 12
  /// With fewer looks than this nothing can be told.
  static let fewest = 4
  /// What is so much quieter than the loudest sound, as a power, does not count: the background.
  static let loud: Float = 0.015

  private struct Look {
    var steady: Float
    var all: Float
  }

  /// A look every 50 ms at the last 128 ms.
  private static let hop = 800
  /// Bands of 7.8 Hz; below 78 Hz there is hum.
  private static let firstBand = 10
  /// A partial has at least this part of the window's power.
  private static let leastPart: Float = 0.003
  /// How far a partial may move, in bands: 1.9 Hz.
  private static let reach: Float = 0.24

  private let spectrum = PowerSpectrum()
  private var samples: [Int16] = []
  private var pitches: [Float] = []
  /// The newest looks at what is loud.
  private var looks: [Look] = []
  private var loudest: Float = 0
  private var hasMoved = false

  /// Whether the utterance, as far as it has been heard, can be speech; where that is too short to
  /// tell, yes.
  var canBeSpeech: Bool {
    hasMoved || looks.count < Self.fewest || looks.count < Self.count && isMoving
  }

  /// Takes the next samples at 16 kHz.
  mutating func add(_ more: [Int16]) {
    samples += more
    while samples.count >= PowerSpectrum.length {
      look(spectrum.bands(of: samples[..<PowerSpectrum.length]))
      samples.removeFirst(Self.hop)
    }
  }

  private mutating func look(_ bands: [Float]) {
    let all = bands[Self.firstBand...].reduce(0, +)
    let partials = Self.partials(in: bands, least: all * Self.leastPart)
    let steady = partials.filter { partial in
      pitches.contains { abs($0 - partial.pitch) < Self.reach }
    }
    pitches = partials.map(\.pitch)
    note(Look(steady: min(all, steady.reduce(0) { $0 + $1.power }), all: all))
  }

  private mutating func note(_ look: Look) {
    loudest = max(loudest, look.all)
    looks.append(look)
    looks.removeAll { $0.all < loudest * Self.loud }
    if looks.count > Self.count { looks.removeFirst() }
    if looks.count == Self.count, isMoving { hasMoved = true }
  }

  private var isMoving: Bool {
    let steady = looks.reduce(0) { $0 + $1.steady }
    return steady <= looks.reduce(0) { $0 + $1.all } * Self.most
  }

  /// The bands that stand out of their neighbours, each with its exact place and its power.
  private static func partials(
    in bands: [Float], least: Float
  ) -> [(pitch: Float, power: Float)] {
    (firstBand..<(bands.count - 2)).compactMap { band in
      let power = bands[band]
      guard power > least, power > bands[band - 1], power >= bands[band + 1] else { return nil }
      let near = bands[(band - 2)...(band + 2)]
      return (Float(band) + offset(at: band, in: bands), near.reduce(0, +))
    }
  }

  /// How far the top of a parabola through a band and its neighbours lies from it, in decibels.
  private static func offset(at band: Int, in bands: [Float]) -> Float {
    let (left, top, right) = (level(bands[band - 1]), level(bands[band]), level(bands[band + 1]))
    let curvature = left - 2 * top + right
    return curvature < 0 ? (left - right) / (2 * curvature) : 0
  }

  private static func level(_ power: Float) -> Float { logf(power + .leastNormalMagnitude) }
}
