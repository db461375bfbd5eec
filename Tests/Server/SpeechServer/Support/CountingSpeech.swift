import AudioCore
import ClientDependencies
import SpeechClient
import Synchronization
import Wyoming

/// A recognizer whose text states how much audio it was given.
struct CountingSpeech: Sendable {
  /// Counts the running recognitions, and signals when one begins or is abandoned.
  final class Tally: Sendable {
    let running = Atomic<Int>(0)
    let abandoned = AsyncStream.makeStream(of: Void.self)
    let begun = AsyncStream.makeStream(of: Void.self)
  }

  let tally = Tally()

  /// A client that reads all audio and then recognizes one utterance with a text such as
  /// `8000 frames at 16000 in en`.
  var client: SpeechClient {
    var client = SpeechClient()
    client.recognition = { request in
      guard case .buffers(let buffers) = request.source else { return .finished() }
      return SpeechRecognitionEvent.events(
        of: count(buffers, language: request.contextualPhrases.first ?? request.locale))
    }
    return client
  }

  private func count(
    _ buffers: any AsyncSequence<AudioBuffer, any Error> & Sendable, language: String?
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    let (results, result) = AsyncThrowingStream.makeStream(of: SpeechRecognitionResult.self)
    let work = Task {
      tally.begun.continuation.yield()
      var (frames, rate) = (0, 0)
      do {
        for try await buffer in buffers {
          frames += buffer.frameCount.rawValue
          rate = buffer.format.sampleRate.hertz
        }
      } catch {
        return result.finish(throwing: error)
      }
      try Task.checkCancellation()
      result.yield(.final("\(frames) frames at \(rate) in \(language ?? "any")"))
      result.finish()
    }
    result.onTermination = { [tally] ending in
      if case .cancelled = ending { tally.abandoned.continuation.yield() }
      work.cancel()
    }
    return results
  }
}

extension SpeechRecognitionResult {
  static func partial(_ text: String, stable: Int = 0, utterance: Int = 0) -> Self {
    var result = make(text, utterance, isFinal: false)
    result.stableSegmentCount = stable
    return result
  }

  static func final(_ text: String, utterance: Int = 0) -> Self {
    make(text, utterance, isFinal: true)
  }

  /// Returns a result with a word every half second; each utterance begins two seconds after the
  /// previous one.
  private static func make(_ text: String, _ utterance: Int, isFinal: Bool) -> Self {
    let segments = text.split(separator: " ").enumerated().map { index, word in
      TranscriptionSegment(
        substring: String(word), timestamp: .seconds(2 * utterance) + .milliseconds(500 * index),
        duration: .milliseconds(500))
    }
    return SpeechRecognitionResult(
      utterance: utterance, bestTranscription: Transcription(segments: segments), isFinal: isFinal)
  }
}

/// Returns the events of one transcription with this many tenths of a second.
func utterance(tenths: Int, language: String? = nil) -> [WyomingEvent] {
  let format = WyomingAudioFormat.speech.data
  let chunk = WyomingEvent("audio-chunk", format, payload: [UInt8](repeating: 0, count: 3200))
  return [
    WyomingEvent("transcribe", language.map { ["language": .string($0)] } ?? [:]),
    WyomingEvent("audio-start", format),
  ] + [WyomingEvent](repeating: chunk, count: tenths) + [WyomingEvent("audio-stop")]
}
