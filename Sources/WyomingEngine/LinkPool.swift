import SpeechEngine
import Synchronization
import Wyoming

/// Opens links to one server, and keeps the one to a child process for the next session, because a
/// child loads its model anew.
final class LinkPool: Sendable {
  let server: WyomingAddress
  let options: WyomingEngineOptions

  // Held to move a link in or out, never while one works.
  private let idle = Mutex<IdleLink?>(nil)

  init(server: WyomingAddress, options: WyomingEngineOptions) {
    (self.server, self.options) = (server, options)
  }

  /// A link to the server, which has just been opened or is as good as that.
  ///
  /// One that was kept has to answer first: many servers end after each transcript, and a process
  /// that is about to end looks as one that is not. A new child has described itself, because it
  /// may take longer to load its model than to answer.
  func take() throws(SpeechEngineError) -> ServerLink {
    if let link = idle.withLock({ $0.take() })?.link, link.answers { return link }
    let link = try ServerLink(server: server, options: options)
    if case .stdio = server { _ = try link.describe() }
    return link
  }

  /// Takes back a link over which nothing is under way; those to sockets end with that.
  func giveBack(_ link: ServerLink) {
    guard case .stdio = server, link.isOpen else { return }
    let free = IdleLink(link: link)
    idle.withLock { idle in
      if idle == nil { idle = free }
    }
  }

  /// What the server says of itself.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    let link = try take()
    let info = try link.describe()
    giveBack(link)
    return info
  }

  var availability: SpeechEngineAvailability {
    do throws(SpeechEngineError) {
      let choice = try ModelChoice(describe(), model: options.model, language: nil)
      return .ready(SpeechModel(language: choice.tag ?? "und", location: server.description))
    } catch {
      return .unavailable(error)
    }
  }
}

extension LinkPool {
  /// A model for each language that the server names; none where it cannot be reached.
  var models: [SpeechModel] {
    do throws(SpeechEngineError) {
      let info = try describe()
      let models = info.models.filter { options.model == nil || $0.name == options.model }
      return models.flatMap(\.languages).map { language in
        SpeechModel(language: language, location: server.description)
      }
    } catch {
      return []
    }
  }
}

/// A link that nobody uses.
///
/// Unchecked, because a link is no value; right, because whoever gives it back keeps no reference,
/// and one taker gets it.
private struct IdleLink: @unchecked Sendable {
  let link: ServerLink
}
