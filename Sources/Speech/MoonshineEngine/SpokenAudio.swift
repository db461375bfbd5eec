/// Returns the audio of an utterance without the middles of silences that are longer than 0.3 s.
///
/// The model ends its text after one or two seconds of silence, even if speech follows. Measured on
/// four recordings with two seconds of silence on both sides: the model transcribes none of the
/// four with the full silences, and all four with shortened silences.
func withoutLongSilences(_ samples: [Float]) -> [Float] {
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

/// The number of samples in a step: 10 ms.
private let step = 160
/// The number of steps that are kept at each end of a silence.
private let kept = 15
/// 30 dB as a ratio of energies; a silent step is at least 30 dB below the loudest step.
private let depth: Float = 1_000
/// 6 dB as a ratio of energies; a silent step is at most 6 dB above the 10th percentile of the
/// steps.
private let ratio: Float = 4
/// The energy of a step at -60 dBFS; a step with less energy is always silent.
private let inaudible: Float = 160 * 1e-6

/// Returns the runs of silent steps, as ranges of step numbers.
private func runs(_ isSilent: [Bool]) -> [Range<Int>] {
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
