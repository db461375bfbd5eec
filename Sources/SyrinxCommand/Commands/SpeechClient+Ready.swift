import SpeechClient

extension SpeechClient {
  /// Loads the model; throws `SpeechClientError.unavailable` where that is not possible.
  func makeReady() async throws(SpeechClientError) {
    switch await requestAuthorization() {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason): throw .unavailable(reason: reason)
    }
  }
}
