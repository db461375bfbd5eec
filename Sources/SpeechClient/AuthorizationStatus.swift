/// Whether speech can be recognized, in the words of Apple's Speech framework.
public enum AuthorizationStatus: Hashable, Sendable {
  /// Unknown until `requestAuthorization` has been called.
  case notDetermined
  /// There is no engine or no model that works; the reason says what would help.
  case denied(reason: String)
  /// There is a model, but this user may not read it.
  case restricted(reason: String)
  /// An engine and its model can be used.
  case authorized
}

extension AuthorizationStatus: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .notDetermined: "not determined"
    case .denied(let reason): "denied: \(reason)"
    case .restricted(let reason): "restricted: \(reason)"
    case .authorized: "authorized"
    }
  }
}
