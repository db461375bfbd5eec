import SpeechClient

extension SpeechClient {
  /// Loads the model, or looks whether it is there where the options ask for more than dictation.
  ///
  /// What is loaded without a request takes dictation, and a request for something else would load
  /// its own in place of it.
  ///
  /// - Throws: `SpeechClientError.unavailable` where there is no model that works.
  func makeReady(for options: SpeechOptions) async throws(SpeechClientError) {
    switch options.areOfDictation ? await requestAuthorization() : authorizationStatus() {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason): throw .unavailable(reason: reason)
    }
  }
}
