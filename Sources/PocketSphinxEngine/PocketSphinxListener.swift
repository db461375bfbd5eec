import AudioCore
import SpeechEngine

/// Follows the mean of a stream's cepstra with a front end alone, as a session does.
final class PocketSphinxListener: SpeechStreamListener {
  private let frontEnd: FrontEnd
  private var stream = StreamKnowledge()

  init(model: ModelFiles) throws(SpeechEngineError) {
    frontEnd = try FrontEnd(model: model)
  }

  var knowledge: any Sendable { stream }

  func add(_ utterance: [[Float]]) {
    stream.beginUtterance()
    frontEnd.begin()
    for samples in utterance { _ = stream.add(samples.inSixteenBits, with: frontEnd) }
  }
}
