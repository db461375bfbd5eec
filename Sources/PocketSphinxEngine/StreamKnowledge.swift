import AudioCore

/// What is known of a stream's voice and room, and how much of it has been heard.
///
/// It follows from the samples alone: all sessions of a stream can begin with it.
struct StreamKnowledge {
  private(set) var mean = CepstralMean()
  private(set) var schedule = MeanSchedule()

  mutating func beginUtterance() {
    mean.beginUtterance()
    schedule.beginUtterance()
  }

  /// Takes the next samples of the utterance, and says what a decoder is to do with those that
  /// wait.
  ///
  /// - Parameter each: called with the cepstrum of each 10 ms.
  mutating func add(
    _ samples: [Int16], with frontEnd: borrowing FrontEnd,
    each: (UnsafeBufferPointer<Float>) -> Void = { _ in }
  ) -> MeanSchedule.Action {
    frontEnd.process(samples) { cepstrum in
      mean.add(cepstrum)
      each(cepstrum)
    }
    return schedule.add(FrameCount(samples.count))
  }
}
