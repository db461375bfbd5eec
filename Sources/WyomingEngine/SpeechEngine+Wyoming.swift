import AudioCore
public import SpeechEngine
public import Wyoming

extension SpeechEngine {
  /// A server that speaks the Wyoming protocol, over TCP, a Unix socket, or the standard input and
  /// output of a child process.
  ///
  /// A child runs in a process of its own, so that an engine that crashes costs one utterance: the
  /// error has its exit status or signal and its last line on standard error, and the next session
  /// starts a new child. A stream goes on with a new session after an utterance that failed, tells
  /// the utterance's place as `dropped`, and ends with the error where three failed in a row, or
  /// the last one did. A child that is left in good order waits for the next session; it ends when
  /// its standard input does.
  ///
  /// - Sockets: each utterance has a connection of its own, as servers expect it.
  /// - Language: one that the server knows by its tag, or by the tag's first part (`en` for
  ///   `en-US`).
  /// - Words: the protocol has no times and no confidence. The words of an utterance are spread
  ///   over the part of it that was loud, in proportion to their lengths; they have no confidence.
  /// - Partial hypotheses: only from servers that stream transcripts; they grow and never change.
  /// - Unsupported: grammars, key phrases, and alternatives. Contextual phrases are handed on,
  ///   and servers may leave them aside. The engine has one option, `model`, by which a session has
  ///   another model of the server's than `options` says.
  ///
  /// `availability` asks the server, so it may block as long as `options` allow; no call blocks
  /// longer.
  public static func wyoming(
    server: WyomingAddress, options: WyomingEngineOptions = WyomingEngineOptions()
  ) -> SpeechEngine {
    let links = LinkPool(server: server, options: options)
    var engine = SpeechEngine(
      name: "wyoming",
      availability: { links.availability },
      models: { links.models },
      makeSession: { try WyomingSession(links: links, options: $0) })
    engine.isRemote = true
    engine.survivesFailedUtterance = true
    engine.capabilities = [.partialResults, .contextualPhrases, .engineOptions]
    return engine
  }
}
