import SpeechEngine
import Wyoming

@testable import WyomingEngine

extension SpeechEngine {
  /// Returns an engine whose timeouts are longer than any test, unless the test sets other
  /// timeouts.
  static func patient(
    _ server: WyomingAddress, _ change: (inout WyomingEngineOptions) -> Void = { _ in }
  ) -> SpeechEngine {
    var options = WyomingEngineOptions()
    options.connectTimeout = .seconds(60)
    options.startTimeout = .seconds(60)
    options.describeTimeout = .seconds(60)
    options.answerTimeout = .seconds(60)
    options.checkTimeout = .seconds(60)
    change(&options)
    return .wyoming(server: server, options: options)
  }

  func session(language: String? = nil) throws -> any SpeechEngineSession {
    let session = try makeSession(SpeechSessionOptions(language: language))
    try session.prepare()
    return session
  }
}

extension SpeechEngineSession {
  /// Recognizes an utterance of this many tenths of a second.
  func recognize(tenths count: Int) throws -> SpeechHypothesis {
    try beginUtterance()
    for _ in 0..<count { try process([Float](repeating: 0.1, count: 1600)) }
    return try finishUtterance()
  }
}

/// Returns the error that `body` throws, if it is an engine's error.
func engineError(_ body: () throws -> Void) -> SpeechEngineError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SpeechEngineError
  }
}
