/// What was understood of one utterance, so far or for good.
public struct SpeechRecognitionResult: Hashable, Sendable {
  /// Which utterance of the task it is about, counted from 0; utterances without words have no
  /// number.
  public var utterance: Int

  /// What was most likely said.
  public var bestTranscription: Transcription

  /// Whether this is the utterance's last result; one that is not is replaced by the next.
  public var isFinal: Bool

  /// A result from its parts.
  public init(utterance: Int, bestTranscription: Transcription, isFinal: Bool) {
    self.utterance = utterance
    self.bestTranscription = bestTranscription
    self.isFinal = isFinal
  }
}
