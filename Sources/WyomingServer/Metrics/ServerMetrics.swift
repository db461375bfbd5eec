import AudioCore
import CoreMetrics

/// What a server counts and measures, by names that suit Prometheus.
struct ServerMetrics: Sendable {
  private let factory: any MetricsFactory

  /// The clients that are served.
  let clients: Meter
  /// The clients that wait for a place.
  let waitingClients: Meter
  /// The clients that were turned away because all places were taken.
  let refusals: Counter
  /// The recognitions that began.
  let requests: Counter
  /// The utterances that were found in their audio.
  let utterances: Counter
  /// The seconds of audio that were recognized.
  let audio: FloatingPointCounter
  /// The seconds of audio that were not recognized.
  let droppedAudio: FloatingPointCounter
  /// The time from `audio-start` to the transcript, divided by the length of the audio; about 1 for
  /// somebody who is speaking.
  let realTimeFactor: Recorder

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    clients = Meter(label: "syrinx_clients", factory: factory)
    waitingClients = Meter(label: "syrinx_waiting_clients", factory: factory)
    refusals = Counter(label: "syrinx_refusals_total", factory: factory)
    requests = Counter(label: "syrinx_requests_total", factory: factory)
    utterances = Counter(label: "syrinx_utterances_total", factory: factory)
    audio = FloatingPointCounter(label: "syrinx_audio_seconds_total", factory: factory)
    droppedAudio = FloatingPointCounter(
      label: "syrinx_dropped_audio_seconds_total", factory: factory)
    realTimeFactor = Recorder(label: "syrinx_real_time_factor", factory: factory)
  }

  /// Notes a transcript for this much audio, so long after `audio-start`.
  func note(_ audio: Duration, recognizedIn elapsed: Duration) {
    self.audio.increment(by: audio.inSeconds)
    if audio > .zero { realTimeFactor.record(elapsed / audio) }
  }

  /// Counts a fault that ended a connection, by the code of the client's `error` event.
  func countFault(_ code: String) {
    Counter(label: "syrinx_faults_total", dimensions: [("code", code)], factory: factory)
      .increment()
  }
}
