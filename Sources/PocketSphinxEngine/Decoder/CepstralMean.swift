/// The mean of the cepstra of an utterance, begun with what is known from the utterances before.
///
/// How well PocketSphinx recognizes depends on this mean more than on anything else: it takes away
/// the loudness and the colour of the voice, the room and the microphone.
struct CepstralMean: Equatable {
  /// What the utterances before weigh, in frames of 10 ms: as much as two seconds.
  static let memory: Float = 200

  private var sums: [Float] = []
  private var weight: Float = 0

  /// The mean; nil before the first frame.
  var value: [Float]? {
    weight > 0 ? sums.map { $0 / weight } : nil
  }

  /// Takes a frame into account, unless its energy, the first coefficient, is that of digital
  /// silence.
  mutating func add(_ cepstrum: some Collection<Float>) {
    guard let energy = cepstrum.first, energy >= 0 else { return }
    if sums.isEmpty { sums = Array(repeating: 0, count: cepstrum.count) }
    for (index, value) in cepstrum.enumerated() { sums[index] += value }
    weight += 1
  }

  /// Goes on to the next utterance: what was heard is kept, but weighs no more than `memory`.
  mutating func beginUtterance() {
    guard weight > Self.memory else { return }
    sums = sums.map { $0 * Self.memory / weight }
    weight = Self.memory
  }
}
