import FilePaths
import SpeechEngine

/// The detector of speech that can be installed, as `syrinx engines` tells it.
struct DetectorRecord: Encodable {
  let detector = EngineComponent.silero.name
  let ready: Bool
  let location: String?
  let missing: String?

  enum CodingKeys: String, CodingKey {
    case detector, ready, location, missing
  }

  /// - Parameter inUse: the detector that commands find speech with.
  init(inUse: SpeechActivityDetector) {
    guard inUse.name == detector else {
      let remedy = "run `syrinx engines install \(detector)`"
      missing = "not installed: \(remedy); the \(inUse.name) detector is used until then"
      (ready, location) = (false, nil)
      return
    }
    switch inUse.availability() {
    case .ready(let model): (ready, location, missing) = (true, model.location, nil)
    case .unavailable(let error): (ready, location, missing) = (false, nil, "\(error)")
    }
  }

  /// A line for people.
  var line: String {
    "  \(detector) (finds speech)  \(location ?? "not ready: \(missing ?? "")")".printable
  }

  /// What the help says about it.
  static let schema = """
    The detector of speech that can be installed follows them: "detector", "ready", and "location" \
    or "missing".
    """
}
