import AudioCore
import ClientDependencies
import PocketSphinxEngine
import SpeechClient
import SpeechClientLive
import SpeechEngine

/// How soon words are known, with the clips heard in real time.
///
/// A word is stable with the first result that counts it among its stable ones, or the final one.
/// Where it lies in the stream the final result says; when the stream was there follows from the
/// pace.
enum RecognitionAnswers {
  private struct Heard {
    var result: SpeechRecognitionResult
    var time: Duration
  }

  static func measure(on bench: SpeechBench) async throws -> [Finding] {
    let buffers = try bench.clips.prefix(8).flatMap { clip in
      try SpeechBench.buffer(of: clip.url).inTenths + [
        AudioBuffer(silence: 12_800, format: .speech)
      ]
    }
    let heard = try await withDependencies {
      $0.speechEngine = .pocketSphinx()
    } operation: {
      let speech = SpeechClient.liveValue
      // What is measured begins with a loaded model.
      _ = await speech.requestAuthorization()
      return try await results(of: speech, hearing: buffers)
    }
    let finals = heard.filter(\.result.isFinal)
    let words = finals.flatMap { final in
      stableTimes(of: final, in: heard.filter { $0.result.utterance == final.result.utterance })
    }
    let ends = finals.compactMap { final in
      final.result.bestTranscription.segments.last.map { final.time - $0.end }
    }
    return [
      summary("end of a word → it is stable", words),
      summary("end of speech → final result, 600 ms of silence among it", ends),
    ]
  }

  private static func results(
    of speech: SpeechClient, hearing buffers: [AudioBuffer]
  ) async throws -> [Heard] {
    let begin = ContinuousClock.now
    let paced = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      Task {
        var position = FrameCount(0)
        for var buffer in buffers {
          buffer.firstFrame = position
          position = buffer.endFrame
          try await Task.sleep(until: begin + position.duration(at: .speech))
          continuation.yield(buffer)
        }
        continuation.finish()
      }
    }
    var heard: [Heard] = []
    for try await result in await speech.startTask(request: SpeechRequest(buffers: paced)) {
      heard.append(Heard(result: result, time: begin.duration(to: .now)))
    }
    return heard
  }

  /// How long after its end each word of a final result was stable.
  private static func stableTimes(of final: Heard, in results: [Heard]) -> [Duration] {
    final.result.bestTranscription.segments.enumerated().map { index, segment in
      let stable = results.first { $0.result.stableSegmentCount > index } ?? final
      return stable.time - segment.end
    }
  }

  private static func summary(_ name: String, _ times: [Duration]) -> Finding {
    let worst = times.max() ?? .zero
    return Finding(
      name: name, value: times.median.inSeconds, unit: "s median",
      remark: "of \(times.count), the worst \((worst.inSeconds * 100).rounded() / 100) s")
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

extension AudioBuffer {
  /// The buffer in pieces of 100 ms, as a microphone gives it.
  fileprivate var inTenths: [AudioBuffer] {
    stride(from: 0, to: frameCount.rawValue, by: 1_600).map { begin in
      frames(FrameCount(begin)..<min(FrameCount(begin + 1_600), frameCount))
    }
  }
}
