import AudioCore
import AudioThreads
import Glibc
public import SpeechEngine
import Synchronization
public import Wyoming

extension SpeechEngine {
  /// A server that speaks the Wyoming protocol, over TCP, a Unix socket, or the standard input and
  /// output of a child process.
  ///
  /// A child is a separate process, so a crash of the engine loses only one utterance. The
  /// utterance's error contains the child's exit status or signal, and its last line on standard
  /// error. The next session starts a new child. After a failed utterance, a stream reports its
  /// range as `dropped` and continues with a new session. The stream ends with the error if three
  /// utterances in a row fail, or if the last utterance fails. An idle child waits for the next
  /// session, and ends when its standard input is closed.
  ///
  /// - Sockets: consecutive utterances use one connection if the server keeps it open and returns
  ///   no text before the end of the audio. Many servers close the connection after each
  ///   transcript.
  /// - Language: the server must list the language by its tag or by the tag's first part (`en` for
  ///   `en-US`).
  /// - Words: the protocol has no timestamps and no confidence. The words of an utterance are
  ///   spread over its loud part, in proportion to their lengths.
  /// - Partial hypotheses: only from servers that stream transcripts; they grow and never change.
  /// - Unsupported: grammars, key phrases, and alternatives. Contextual phrases are passed on, and
  ///   servers may ignore them. The engine has one option, `model`, which overrides the model of
  ///   `options` for a session.
  ///
  /// `availability` queries the server, so it may block for as long as `options` permit; no call
  /// blocks longer.
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
  /// The time limit for the server to accept an event, and to return the text after the end of an
  /// utterance; 30 s.
  public var answerTimeout = Duration.seconds(30)
  /// The time for which an unused connection stays open for the next utterance; 5 s.
  ///
  /// The connection of a child process stays open.
  public var idleTimeout = Duration.seconds(5)
  /// The time for a server to respond on a kept connection before a new connection is opened.
  var checkTimeout = Duration.milliseconds(500)
  /// The size limits of the server's frames.
  public var limits = WyomingLimits()
  /// The name of the server's model; nil for the first model with the language.
  public var model: String?

  /// Creates the default options.
  public init() {}
}

/// Opens links to one server, and keeps one for the next session.
///
/// Reuse matters: a new server process would load its model again, and many servers accept only a
/// few connections.
final class LinkPool: Sendable {
  let server: WyomingAddress
  let options: WyomingEngineOptions

  /// The link that is kept for the next session, and the deadline at which it is closed.
  ///
  /// `@unchecked Sendable` is safe although a link is not `Sendable`: the session that returns
  /// the link keeps no reference, and only one session removes the link.
  private struct Idle: @unchecked Sendable {
    var link: ServerLink?
    /// The deadline at which the link is closed.
    var deadline = ContinuousClock.now
    /// Whether a thread waits until the deadline, to close the link.
    var isWatched = false
  }

  // The lock is held to add or remove a link, never while a link is used.
  private let idle = Mutex(Idle())

  init(server: WyomingAddress, options: WyomingEngineOptions) {
    (self.server, self.options) = (server, options)
  }

  /// Returns the kept link to the server, or a new link.
  ///
  /// The kept link is used only if the server responds, because many servers end after each
  /// transcript, and the connection of a process that is about to end still looks alive. The wait
  /// is short, because connecting again costs less than waiting for a server that has ended. A new
  /// child must describe itself here, because loading its model may exceed the usual timeout.
  ///
  /// - Parameter interruption: once signaled, ends this call and every later call of the link.
  func acquire(until interruption: WakeUp? = nil) throws(SpeechEngineError) -> ServerLink {
    if let link = keptLink(until: interruption) { return link }
    let link = try ServerLink(server: server, options: options, until: interruption)
    if !isSocket { _ = try link.describe() }
    return link
  }

  /// Returns the kept link if it responds; otherwise closes it and returns nil.
  ///
  /// The link is closed before another link is opened, because a server may accept only a few
  /// connections, and a child keeps its model in memory.
  private func keptLink(until interruption: WakeUp?) -> ServerLink? {
    let kept = idle.withLock { idle in
      defer { idle.link = nil }
      return idle.link
    }
    guard let kept else { return nil }
    kept.interruption = interruption
    return kept.answers(within: isSocket ? options.checkTimeout : options.describeTimeout)
      ? kept : nil
  }

  /// Whether the server is reached over TCP or a Unix socket, not as a child process.
  private var isSocket: Bool {
    if case .stdio = server { false } else { true }
  }

  /// Keeps a link that has neither a current utterance nor a pending response.
  func giveBack(_ link: ServerLink) {
    link.interruption = nil
    guard link.isOpen else { return }
    let kept = Idle(
      link: link, deadline: ContinuousClock.now + options.idleTimeout, isWatched: isSocket)
    // `before` is a constant, so that the previously kept link closes after the lock has been
    // released.
    let before = idle.withLock { idle in
      defer { idle = kept }
      return idle
    }
    guard isSocket, !before.isWatched else { return }
    do throws(SystemError) {
      _ = try DedicatedThread.start(name: "syrinx-idle") { self.closeIdleLink() }
    } catch {
      // Without a thread that closes it, the link would stay open forever, so it is not kept.
      idle.withLock { $0 = Idle() }
    }
  }

  /// Waits until the deadline of the kept link has passed, and closes the link.
  private func closeIdleLink() {
    while true {
      let left = idle.withLock { idle -> Duration? in
        let left = ContinuousClock.now.duration(to: idle.deadline)
        if idle.link != nil, left > .zero { return left }
        idle = Idle()
        return nil
      }
      guard let left else { return }
      Glibc.poll(nil, 0, pollTimeout(left))
    }
  }

  /// Returns the server's description.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    let link = try acquire()
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

  /// A model for each language that the server lists; empty if the server cannot be reached.
  var models: [SpeechModel] {
    guard let info = try? describe() else { return [] }
    let models = info.models.filter { options.model == nil || $0.name == options.model }
    return models.flatMap(\.languages).map { language in
      SpeechModel(language: language, location: server.description)
    }
  }
}
