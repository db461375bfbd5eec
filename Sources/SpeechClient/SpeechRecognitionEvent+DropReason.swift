extension SpeechRecognitionEvent {
  /// Why a stretch of the audio was not recognized.
  ///
  /// Cases may be added: a `switch` over it needs a `default`.
  public enum DropReason: Hashable, Sendable {
    /// The backlog of a live source became longer than the request allows: the engine is too slow.
    case engineTooSlow

    /// An engine that survives failures failed in this utterance, with this error.
    ///
    /// If no later utterance succeeds, the error also ends the stream.
    case engineFailed(SpeechClientError)

    /// The audio is missing: the `firstFrame` of its buffers jumps ahead, because a microphone lost
    /// frames or its device was away.
    case gap

    /// This many samples in it are NaN or infinite: they count as silence, and what is around them
    /// is recognized.
    ///
    /// From a microphone, the stretch is the buffer that reports them: they are in it, or in what was
    /// lost right before it. Otherwise it begins and ends with such a sample.
    case nonFinite(sampleCount: Int)
  }
}
