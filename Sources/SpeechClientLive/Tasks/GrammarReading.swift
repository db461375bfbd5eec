import SpeechClient
import SpeechEngine
import Synchronization

extension SpeechEngine {
  /// The engine, whose sessions have this grammar: it is read when the first of them, or a
  /// listener, is made, on its thread, because a file may take its time.
  ///
  /// Each thread of a task that has sessions made by workers makes a listener before: so it waits
  /// for the file itself, and the workers, who are there for other tasks as well, do not.
  func reading(_ grammar: SpeechGrammar?) -> SpeechEngine {
    guard let grammar else { return self }
    let reading = GrammarReading(grammar)
    var engine = self
    engine.makeSession = { [makeSession] options in
      var options = options
      options.grammar = try reading.text()
      return try makeSession(options)
    }
    if let makeListener {
      engine.makeListener = { options in
        _ = try reading.text()
        return try makeListener(options)
      }
    }
    return engine
  }
}

/// Reads a grammar once, because a pipe can be read but once.
private final class GrammarReading: Sendable {
  private let grammar: SpeechGrammar
  // Held while it is read: who wants it has to wait for it anyhow.
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
