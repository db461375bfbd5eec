import MoonshineEngine
import PocketSphinxEngine
import SpeechEngine

/// One of our engines, and its bounds.
struct MeasuredRecognizer: Sendable {
  /// The maximum values; nil for figures that are only reported.
  struct Bounds: Sendable {
    /// Seconds of CPU time per second of speech, for live recognition with partial results.
    var live: Double?
    /// Seconds from the end of a word until it is stable, on average.
    var stableWord: Double?
    /// Seconds from the beginning of an utterance's first word until its first result, on average.
    var firstResult: Double?
    /// The 95th percentile of the time from the end of the silence to the final result, in seconds.
    var final: Double?
    /// The memory in MiB.
    var memory: Double?
  }

  /// The name for `--engine`.
  let name: String
  let engine: @Sendable () -> SpeechEngine
  let bounds: Bounds

  static let pocketSphinx = Self(
    name: "pocketsphinx", engine: { .pocketSphinx() }, bounds: Bounds())

  static let moonshine = Self(
    name: "moonshine", engine: { .moonshine() },
    bounds: Bounds(live: 0.5, stableWord: 0.9, firstResult: 0.8, final: 0.15, memory: 450))
}
