import AudioCore
import CoreMetrics
import SpeechClient

/// The metrics of a server; the module's page describes them.
struct ServerMetrics: Sendable {
  let clients: Meter
  let wait: Timer
  let refusals: Counter
  let requests: Counter
  let utterances: Counter
  let audio: FloatingPointCounter
  let realTimeFactor: Recorder
  private let factory: any MetricsFactory

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    clients = Meter(label: "syrinx_clients", factory: factory)
    wait = Timer(label: "syrinx_wait_seconds", factory: factory)
    refusals = Counter(label: "syrinx_refusals_total", factory: factory)
    requests = Counter(label: "syrinx_requests_total", factory: factory)
    utterances = Counter(label: "syrinx_utterances_total", factory: factory)
    audio = FloatingPointCounter(label: "syrinx_audio_seconds_total", factory: factory)
    realTimeFactor = Recorder(label: "syrinx_real_time_factor", factory: factory)
  }

  /// Records the duration of a transcript's audio, and the real-time factor of its recognition.
  func recordTranscript(of audio: Duration, after elapsed: Duration) {
    self.audio.increment(by: audio.inSeconds)
    if audio > .zero { realTimeFactor.record(elapsed / audio) }
  }

  /// Counts audio that was not recognized, by the reason.
  func recordLoss(of audio: Duration, _ reason: SpeechRecognitionEvent.DropReason) {
    FloatingPointCounter(
      label: "syrinx_dropped_audio_seconds_total", dimensions: [("reason", reason.name)],
      factory: factory
    ).increment(by: audio.inSeconds)
  }

  /// Counts an error that a client got, by its code.
  func countFault(_ code: String) {
    Counter(label: "syrinx_faults_total", dimensions: [("code", code)], factory: factory)
      .increment()
  }
}
