import AudioCore
import SpeechEngine

/// A decoder at work on one stream.
///
/// It listens before it searches: the mean of the cepstra must be known, so the first second and a
/// half of the stream's first utterance wait. Later utterances begin with the mean of those before.
final class PocketSphinxSession: SpeechEngineSession {
  private let decoder: Decoder
  private let pool: DecoderPool
  private let frontEnd: FrontEnd
  private var mean = CepstralMean()
  private var schedule = MeanSchedule()
  private var waiting: [Int16] = []

  init(decoder: Decoder, pool: DecoderPool) throws(SpeechEngineError) {
    frontEnd = try decoder.makeFrontEnd()
    self.decoder = decoder
    self.pool = pool
  }

  deinit {
    pool.giveBack(decoder)
  }

  var hypothesis: SpeechHypothesis {
    SpeechHypothesis(words: schedule.isSearching ? decoder.words : [])
  }

  func beginUtterance() throws(SpeechEngineError) {
    mean.beginUtterance()
    schedule.beginUtterance()
    waiting = []
    frontEnd.begin()
    try decoder.begin()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    let samples = samples.map(sixteenBit)
    frontEnd.add(samples, to: &mean)
    waiting += samples
    switch schedule.hear(FrameCount(samples.count)) {
    case .wait: return
    case .search: try search()
    case .setMeanAndSearch: try setMeanAndSearch()
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if !schedule.isSearching { try setMeanAndSearch() }
    try decoder.end()
    return SpeechHypothesis(words: decoder.words)
  }

  private func setMeanAndSearch() throws(SpeechEngineError) {
    if let value = mean.value { decoder.setCepstralMean(value) }
    try search()
  }

  private func search() throws(SpeechEngineError) {
    try decoder.search(waiting)
    waiting.removeAll(keepingCapacity: true)
  }
}

/// The nearest 16-bit value, full scale for what is louder.
private func sixteenBit(_ sample: Float) -> Int16 {
  Int16(max(-32_768, min(32_767, (sample * 32_768).rounded())))
}
