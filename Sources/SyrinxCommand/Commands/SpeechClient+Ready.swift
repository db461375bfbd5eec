import SpeechClient

extension SpeechClient {
  /// Loads the model or asks the engine's server, or, where the options ask for more than
  /// dictation, looks whether the model is there.
  ///
  /// What is loaded without a request takes dictation, and a request for something else would load
  /// its own in place of it.
  ///
  /// - Throws: `SpeechClientError.unavailable` where there is no model that works.
  func makeReady(for options: SpeechOptions) async throws(SpeechClientError) {
    var status = options.areOfDictation ? .notDetermined : authorizationStatus()
    if status == .notDetermined { status = await requestAuthorization() }
    switch status {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason): throw .unavailable(reason: reason)
    }
  }
}
