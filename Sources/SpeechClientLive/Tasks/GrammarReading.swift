import SpeechClient
import SpeechEngine
import Synchronization

extension SpeechEngine {
  /// The engine with this grammar for its sessions, which is read on the thread that makes the first
  /// session or adaptation, because reading a file may take long.
  ///
  /// A task that decodes in parallel makes an adaptation first, so that its own thread waits for the
  /// file, and the decoders, which serve other tasks as well, do not.
  func reading(_ grammar: SpeechGrammar?) -> SpeechEngine {
    guard let grammar else { return self }
    let reading = GrammarReading(grammar)
    var engine = self
    engine.makeSession = { [makeSession] options in
      var options = options
      options.grammar = try reading.text()
      return try makeSession(options)
    }
    if let makeAdaptation {
      engine.makeAdaptation = { options in
        _ = try reading.text()
        return try makeAdaptation(options)
      }
    }
    return engine
  }
}

/// Reads a grammar once, because a pipe can be read only once.
private final class GrammarReading: Sendable {
  private let grammar: SpeechGrammar
  // Held while it is read: every caller has to wait for it anyway.
  private let result = Mutex<Result<String, SpeechClientError>?>(nil)

  init(_ grammar: SpeechGrammar) {
    self.grammar = grammar
  }

  func text() throws(SpeechClientError) -> String {
    let result = self.result.withLock { known in
      let result = known ?? Result { () throws(SpeechClientError) in try grammar.text() }
      known = result
      return result
    }
    return try result.get()
  }
}
