import AudioCore
import SpeechClient

/// A result as `--json` tells it; times in seconds from the beginning of the audio.
struct UtteranceRecord: Encodable {
  struct Word: Encodable {
    let word: String
    let start: Double
    let end: Double
    let confidence: Double?
  }

  let file: String?
  let utterance: Int
  let final: Bool
  let text: String
  let start: Double?
  let end: Double?
  let words: [Word]

  init(_ result: SpeechRecognitionResult, file: String? = nil) {
    let transcription = result.bestTranscription
    self.file = file
    utterance = result.utterance
    final = result.isFinal
    text = transcription.formattedString
    words = transcription.segments.map(Word.init)
    start = words.first?.start
    end = words.last?.end
  }

  /// What the help says about it.
  static let schema = """
    With --json each result is an object on a line of its own: "utterance" (counted from 0), "final", \
    "text", "start" and "end" (seconds from the beginning of the audio), and "words", each with \
    "word", "start", "end" and, where the engine is able to tell, "confidence" (0 to 1).
    """
}

extension UtteranceRecord.Word {
  init(_ segment: TranscriptionSegment) {
    word = segment.substring
    start = rounded(segment.timestamp)
    end = rounded(segment.timestamp + segment.duration)
    confidence = segment.confidence.map { ($0 * 1_000).rounded() / 1_000 }
  }
}

/// Seconds to a thousandth.
private func rounded(_ duration: Duration) -> Double {
  (duration.inSeconds * 1_000).rounded() / 1_000
}
