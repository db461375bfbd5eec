/// The audio of an utterance with its long silences shortened.
///
/// After a second or two of silence the model takes the utterance for over, whatever follows: of four
/// recordings between silences of two seconds it understands none, and shortened so all four.
enum SpokenAudio {
  /// What is judged at a time: 10 ms.
  private static let step = 160
  /// How many steps of a silence are kept at each of its ends.
  private static let kept = 15
  /// Silence is this far below the loudest step at least, as a ratio of energies: 30 dB.
  private static let depth: Float = 1_000
  /// And this far at most above the quietest tenth of the steps: 6 dB.
  private static let ratio: Float = 4
  /// Nobody hears a step with less energy: -60 dB.
  private static let inaudible: Float = 160 * 1e-6

  /// The samples without the middles of silences that are longer than 0.3 s.
  static func shortened(_ samples: [Float]) -> [Float] {
    let energies = (0..<(samples.count / step)).map { index in
      samples[(index * step)..<((index + 1) * step)].reduce(0) { $0 + $1 * $1 }
    }
    guard let loudest = energies.max() else { return samples }
    let quietest = energies.sorted()[energies.count / 10]
    let limit = min(loudest / depth, max(quietest * ratio, inaudible))
    var shortened: [Float] = []
    var begin = 0
    for run in runs(energies.map { $0 <= limit }) where run.count > 2 * kept {
      shortened += samples[begin..<((run.lowerBound + kept) * step)]
      begin = (run.upperBound - kept) * step
    }
    return shortened + samples[begin...]
  }

  /// Where the runs of steps lie that are silent.
  private static func runs(_ isSilent: [Bool]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var begin: Int?
    for (index, isSilent) in (isSilent + [false]).enumerated() {
      if isSilent {
        begin = begin ?? index
      } else if let first = begin {
        runs.append(first..<index)
        begin = nil
      }
    }
    return runs
  }
}
