import AudioCore
import AudioThreads
import SpeechEngine
import Synchronization
import Wyoming

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
      return SpeechModel(language: choice.tag ?? "und", location: server.description)
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
