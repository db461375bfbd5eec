import SpeechClient

extension SpeechClient {
  /// Loads the model; throws `SpeechClientError.unavailable` where that is not possible.
  func makeReady() async throws(SpeechClientError) {
    switch await requestAuthorization() {
    case .authorized, .notDetermined: return
    case .denied(let reason), .restricted(let reason): throw .unavailable(reason: reason)
    }
  }

  /// What the help says about the model.
  static let modelHelp = """
    The model is the one of Debian's package pocketsphinx-en-us, or the one in the folder that the \
    environment variable SYRINX_POCKETSPHINX_MODEL names.
    """
}
