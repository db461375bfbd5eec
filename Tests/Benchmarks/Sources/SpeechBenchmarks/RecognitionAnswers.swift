import AudioCore
import BenchmarkTools
import ClientDependencies
import Foundation
import SpeechClient
import SpeechClientLive
import SpeechEngine

/// Measures how soon words are recognized if the clips are captured in real time.
///
/// A word becomes stable with the first result whose stable prefix contains the word, or else with
/// the final result. Timestamps are positions in the stream, which is captured in real time, so
/// they can be compared with the times of the results.
enum RecognitionAnswers {
  private struct TimedEvent {
    var event: SpeechRecognitionEvent
    var time: Duration
  }

  static func measure(
    _ recognizer: MeasuredRecognizer, on clips: [SpeechBench.Clip]
  ) async throws -> [Finding] {
    // Begins with silence, because the end of the first utterance is detected late if the stream
    // begins within speech.
    let lead = AudioBuffer(silence: 32_000, format: .speech).inPeriods
    let buffers =
      try lead
      + clips.flatMap { clip in
        try SpeechBench.buffer(of: clip.url).inPeriods
          + AudioBuffer(silence: 12_800, format: .speech).inPeriods
      }
    let (timed, processor) = try await withDependencies {
      $0.speechEngine = recognizer.engine()
    } operation: {
      let speech = SpeechClient.liveValue
      // Loads the model before the measurement.
      _ = await speech.requestAuthorization()
      let before = processorSeconds()
      let timed = try await events(of: speech, on: buffers)
      return (timed, processorSeconds() - before)
    }
    let results = timed.compactMap { timed in timed.event.result.map { ($0, timed.time) } }
    let finals = results.filter(\.0.isFinal)
    let words = finals.flatMap { final in
      stableTimes(of: final, in: results.filter { $0.0.utterance == final.0.utterance })
    }
    let waits = timed.indices.compactMap { index in
      finalAfterSilence(timed[index].event, before: timed[..<index])
    }
    let firsts = finals.compactMap { final in
      firstAnswer(to: final, in: results.filter { $0.0.utterance == final.0.utterance })
    }
    let lateCount = firsts.count(where: \.isFinal)
    return [
      Finding(
        name: "\(recognizer.name), live with partial results: processor",
        value: processor / clips.reduce(0) { $0 + $1.seconds }, unit: "s CPU/s",
        bound: recognizer.bounds.live, remark: "of speech"),
      Finding(
        name: "\(recognizer.name): end of a word → it is stable, on average",
        value: words.mean, unit: "s", bound: recognizer.bounds.stableWord,
        remark: "of \(words.count), the worst \(words.max()?.inSeconds ?? 0) s"),
      Finding(
        name: "\(recognizer.name): first word begins → its first result, on average",
        value: firsts.map(\.wait).mean, unit: "s", bound: recognizer.bounds.firstResult,
        remark: "of \(firsts.count), \(lateCount) of them without a partial one"),
      Finding(
        name: "\(recognizer.name): the silence is complete → final result, 95 of 100",
        value: waits.percentile(0.95).inSeconds, unit: "s", bound: recognizer.bounds.final,
        remark: "of \(waits.count)"),
    ]
  }

  private static func events(
    of speech: SpeechClient, on buffers: [AudioBuffer]
  ) async throws -> [TimedEvent] {
    let begin = ContinuousClock.now
    var request = SpeechRequest(buffers: buffers.paced(from: begin))
    // The same back pressure as for a microphone.
    request.backPressure = .buffer(upTo: .seconds(60))
    var timed: [TimedEvent] = []
    for try await event in await speech.recognition(request: request) {
      timed.append(TimedEvent(event: event, time: begin.duration(to: .now)))
    }
    return timed
  }

  /// Returns the time from the end of each word of a final result until the word became stable.
  private static func stableTimes(
    of final: (SpeechRecognitionResult, Duration), in results: [(SpeechRecognitionResult, Duration)]
  ) -> [Duration] {
    final.0.bestTranscription.segments.enumerated().map { index, segment in
      let stable = results.first { $0.0.stableSegmentCount > index } ?? final
      return stable.1 - segment.end
    }
  }

  /// Returns the time from the beginning of an utterance's first word to the utterance's first
  /// result, and whether that result is final.
  ///
  /// The beginning is the word's timestamp in the final result. The event `speechStarted` would be
  /// too early, because breath and noise may precede the word.
  private static func firstAnswer(
    to final: (SpeechRecognitionResult, Duration), in results: [(SpeechRecognitionResult, Duration)]
  ) -> (wait: Duration, isFinal: Bool)? {
    guard let word = final.0.bestTranscription.segments.first else { return nil }
    let first = results.first ?? final
    return (first.1 - word.timestamp, first.0.isFinal)
  }

  /// Returns the time from the end of the silence that ended an utterance to its final result.
  private static func finalAfterSilence(
    _ event: SpeechRecognitionEvent, before: ArraySlice<TimedEvent>
  ) -> Duration? {
    guard case .speechEnded(let end) = event,
      let final = before.last(where: { $0.event.result?.isFinal == true })
    else { return nil }
    return final.time - (end + EndpointPolicy().silence)
  }

  private static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_utime.inSeconds + usage.ru_stime.inSeconds
  }
}

extension timeval {
  fileprivate var inSeconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

extension [Duration] {
  fileprivate var mean: Double { reduce(0) { $0 + $1.inSeconds } / Double(Swift.max(1, count)) }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

extension AudioBuffer {
  /// The buffer divided into pieces of 20 ms, as from a microphone.
  var inPeriods: [AudioBuffer] {
    stride(from: 0, to: frameCount.rawValue, by: 320).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + 320), frameCount))
    }
  }
}

extension [AudioBuffer] {
  /// Returns the buffers in real time, each at the time at which its last frame is captured.
  func paced(from begin: ContinuousClock.Instant) -> AsyncThrowingStream<AudioBuffer, any Error> {
    AsyncThrowingStream { continuation in
      Task {
        var position = FrameCount(0)
        for var buffer in self {
          buffer.firstFrame = position
          position = buffer.endFrame
          try await Task.sleep(until: begin + position.duration(at: .speech))
          continuation.yield(buffer)
        }
        continuation.finish()
      }
    }
  }
}
