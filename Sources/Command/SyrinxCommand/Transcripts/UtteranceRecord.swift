import AudioCore
import FilePaths
import SpeechClient

/// The results in the output of `--json`; times in seconds from the beginning of the audio.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let utteranceSchema = """
    With --json, each result is an object on its own line: "event" (partial or final), "utterance" \
    (from 0), "final", "text", "start" and "end" (seconds from the beginning of the audio), and \
    "words", each with "word", "start", "end", and, if the engine reports it, "confidence" (0 to 1); \
    "estimatedTimes" marks estimated word times. A partial result has "stable": the beginning of the \
    text, in which only the spelling should still change. A final result has "wordsPerMinute" \
    and "averagePause" (seconds) and, with --alternatives, the n-best "alternatives", most likely \
    first, for the utterance and for each word.
    """

  init(_ result: SpeechRecognitionResult, file: FilePath? = nil) {
    let transcription = result.bestTranscription
    let (segments, metadata) = (transcription.segments, result.speechRecognitionMetadata)
    self = [
      "event": result.isFinal ? "final" : "partial", "file": file,
      "utterance": result.utterance, "final": result.isFinal,
      "text": transcription.formattedString,
      "stable": result.isFinal ? nil : result.stablePrefix.formattedString,
      "estimatedTimes": transcription.hasEstimatedTimes ? true : nil,
      "words": segments.map { JSONRecord($0) }, "start": segments.first?.timestamp.inRecordSeconds,
      "end": segments.last?.end.inRecordSeconds,
      "alternatives": result.transcriptions.dropFirst().map(\.formattedString).unlessEmpty,
      "wordsPerMinute": metadata?.speakingRate.tenths,
      "averagePause": metadata?.averagePauseDuration.inRecordSeconds,
    ]
  }

  private init(_ segment: TranscriptionSegment) {
    self = [
      "word": segment.substring, "start": segment.timestamp.inRecordSeconds,
      "end": segment.end.inRecordSeconds,
      "confidence": segment.confidence.map { $0.rounded(toParts: 1_000) },
      "alternatives": segment.alternativeSubstrings.unlessEmpty,
    ]
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

/// A lag or a loss in the output of `listen --json` and `transcribe --json`; times in seconds from
/// the beginning of the audio.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let lagSchema = """
    Other objects have an "event": lagging with "seconds" of audio queued because recognition lags (0 \
    after it has caught up), or dropped with the "start" and "end" of a range and the "reason": slow \
    (not recognized, because the backlog was full), gap (lost during capture), unintelligible (sound \
    without plausible words), engine (not recognized, because the engine failed; "error" says why), or \
    nonFinite (recognized, but "samples" that were NaN or infinite are replaced by silence). With \
    unintelligible and engine, "utterance" is the number of the utterance whose partial results are void.
    """

  /// The same for files, which neither lag nor have gaps.
  static let droppedSchema = """
    An object with the "event" dropped has the "start" and "end" of a range and the "reason": \
    unintelligible (sound without plausible words), engine (not recognized, because the engine failed; \
    "error" says why), or nonFinite (recognized, but "samples" that were NaN or infinite are replaced \
    by silence). With unintelligible and engine, "utterance" is the number of the utterance whose \
    partial results are void.
    """

  /// Nil for any other event.
  ///
  /// - Parameter utterance: the utterance with partial results but no final one.
  init?(_ event: SpeechRecognitionEvent, file: FilePath? = nil, utterance: Int? = nil) {
    switch event {
    case .lagging(let lag):
      self = ["event": "lagging", "file": file, "seconds": lag.inRecordSeconds]
    case .dropped(let range, let reason):
      self = [
        "event": "dropped", "file": file, "start": range.lowerBound.inRecordSeconds,
        "end": range.upperBound.inRecordSeconds, "reason": reason.name,
      ]
      switch reason {
      case .engineFailed(let error):
        self["error"] = "\(error)"
        self["utterance"] = utterance
      case .unintelligible: self["utterance"] = utterance
      case .nonFinite(let count): self["samples"] = count
      case .engineTooSlow, .gap: break
      }
    default: return nil
    }
  }
}
