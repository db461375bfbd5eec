extension SpeechRecognitionEvent {
  /// Why a stretch of the audio was not understood.
  ///
  /// Further cases may come: a `switch` over it has a `default`.
  public enum DropReason: Hashable, Sendable {
    /// More of a live source waited than the request allows: the engine is slower than it comes.
    case engineTooSlow

    /// An engine in a process of its own failed in this utterance, with that error.
    ///
    /// It ends the stream as well where no later utterance makes it good.
    case engineFailed(SpeechClientError)

    /// The audio lacks it: the `firstFrame` of its buffers jumps ahead, because a microphone lost
    /// frames or its device was away.
    case gap

    /// So many samples in it are NaN or infinite: silence is heard in their place, and what is
    /// around them is understood.
    case nonFinite(sampleCount: Int)
  }
}
