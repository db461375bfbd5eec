import AudioCore
import AudioThreads
public import SpeechEngine
import Synchronization
public import Wyoming

extension SpeechEngine {
  /// A server that speaks the Wyoming protocol, over TCP, a Unix socket, or the standard input and
  /// output of a child process.
  ///
  /// A child has its own process, so an engine that crashes loses only one utterance: the error has its
  /// exit status or signal and its last line on standard error, and the next session starts a new child.
  /// After a failed utterance, a stream reports its range as `dropped` and continues with a new session;
  /// it ends with the error if three utterances in a row or the last one failed. An idle child waits for
  /// the next session and ends when its standard input does.
  ///
  /// - Sockets: each utterance has its own connection, as servers expect.
  /// - Language: one that the server names by its tag or by the tag's first part (`en` for `en-US`).
  /// - Words: the protocol has no timestamps and no confidence. The words of an utterance are spread over
  ///   its loud part, in proportion to their lengths.
  /// - Partial hypotheses: only from servers that stream transcripts; they grow and never change.
  /// - Unsupported: grammars, key phrases, and alternatives. Contextual phrases are passed on, and
  ///   servers may ignore them. The engine has one option, `model`, which overrides that of `options`
  ///   for a session.
  ///
  /// `availability` asks the server, so it may block for as long as `options` allow; no call blocks
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

/// Timeouts and limits of the connection to a server.
public struct WyomingEngineOptions: Hashable, Sendable {
  /// The time to connect to the server, including name resolution; 5 s.
  public var connectTimeout = Duration.seconds(5)
  /// The time for a child process to start and load its model; 2 minutes.
  public var startTimeout = Duration.seconds(120)
  /// The time for a running server to describe itself; 10 s.
  public var describeTimeout = Duration.seconds(10)
  /// The time for the server to return the text after the end of an utterance, and to accept more audio
  /// before that; 30 s.
  public var answerTimeout = Duration.seconds(30)
  /// The largest accepted parts of the server's frames.
  public var limits = WyomingLimits()
  /// The name of the server's model; nil for the first one with the language.
  public var model: String?

  /// The default options.
  public init() {}
}

/// Opens links to one server, and keeps the link to a child process for the next session.
///
/// A new child would have to load its model again.
final class LinkPool: Sendable {
  let server: WyomingAddress
  let options: WyomingEngineOptions

  // Held to move a link in or out, never while a link is used.
  private let idle = Mutex<IdleLink?>(nil)

  init(server: WyomingAddress, options: WyomingEngineOptions) {
    (self.server, self.options) = (server, options)
  }

  /// A new link to the server, or the kept one.
  ///
  /// The kept link must answer first: many servers end after each transcript, and a process that is
  /// about to end looks alive. A new child is asked for its description here, because loading its
  /// model may exceed the usual timeout.
  ///
  /// - Parameter interruption: once signaled, ends this call and every later one of the link.
  func take(until interruption: WakeUp? = nil) throws(SpeechEngineError) -> ServerLink {
    if let link = idle.withLock({ $0.take() })?.link {
      link.interruption = interruption
      if link.answers { return link }
    }
    let link = try ServerLink(server: server, options: options, until: interruption)
    if case .stdio = server { _ = try link.describe() }
    return link
  }

  /// Takes back an idle link; a link to a socket is closed.
  func giveBack(_ link: ServerLink) {
    link.interruption = nil
    guard case .stdio = server, link.isOpen else { return }
    let free = IdleLink(link: link)
    idle.withLock { idle in
      if idle == nil { idle = free }
    }
  }

  /// The server's description.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    let link = try take()
    let info = try link.describe()
    giveBack(link)
    return info
  }

  var availability: SpeechEngineAvailability {
    SpeechEngineAvailability { () throws(SpeechEngineError) in
      let choice = try ModelChoice(describe(), model: options.model, language: nil)
      return SpeechModel(language: choice.tag ?? LanguageTag.unknown, location: server.description)
    }
  }

  /// A model for each language that the server names; none if it cannot be reached.
  var models: [SpeechModel] {
    guard let info = try? describe() else { return [] }
    let models = info.models.filter { options.model == nil || $0.name == options.model }
    return models.flatMap(\.languages).map { language in
      SpeechModel(language: language, location: server.description)
    }
  }
}

/// An idle link.
///
/// `@unchecked Sendable` is right although a link is not `Sendable`: the session that returns it
/// keeps no reference, and only one session takes it.
private struct IdleLink: @unchecked Sendable {
  let link: ServerLink
}
