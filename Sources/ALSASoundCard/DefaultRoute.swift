import CALSA
import Glibc

/// Where ALSA's configuration sends `default`.
enum DefaultRoute: Equatable {
  case missing
  /// ALSA's own rule: the first card.
  case firstCard
  case server(plugin: String)
  case userDefined

  /// Plug-ins that lead to a sound server.
  static let serverPlugins: Set<String> = ["pulse", "pipewire"]

  /// - Parameter target: the name that `default` is another word for, or the type of its
  ///   definition.
  init(target: String?) {
    self =
      switch target {
      case nil: .missing
      case "cards.pcm.default": .firstCard
      case let plugin? where Self.serverPlugins.contains(plugin): .server(plugin: plugin)
      case _?: .userDefined
      }
  }

  /// The route in the configuration of this process.
  static func read() -> DefaultRoute {
    var top: OpaquePointer?
    guard snd_config_update_ref(&top) >= 0, let top else { return .missing }
    defer { snd_config_unref(top) }
    runHooks(top)
    guard let node = child(of: top, "pcm.default") else { return .missing }
    if snd_config_get_type(node) == SND_CONFIG_TYPE_COMPOUND {
      return DefaultRoute(target: child(of: node, "type").flatMap(string) ?? "unknown")
    }
    return DefaultRoute(target: string(node))
  }

  /// The card, by name or number, of ALSA's own names that name none.
  static func card() -> String {
    for variable in ["ALSA_PCM_CARD", "ALSA_CARD"] {
      if let card = getenv(variable) { return String(cString: card) }
    }
    var top: OpaquePointer?
    guard snd_config_update_ref(&top) >= 0, let top else { return "0" }
    defer { snd_config_unref(top) }
    var text: UnsafeMutablePointer<CChar>?
    guard let node = child(of: top, "defaults.pcm.card"), snd_config_get_ascii(node, &text) >= 0,
      let text
    else { return "0" }
    defer { free(text) }
    return String(cString: text)
  }

  /// Looking for a definition, unlike looking for a node, runs the configuration's hooks, and they
  /// redefine `default` where a sound server answers.
  ///
  /// What is found is the expansion; only the hooks matter.
  private static func runHooks(_ top: OpaquePointer) {
    var definition: OpaquePointer?
    if snd_config_search_definition(top, "pcm", "default", &definition) >= 0 {
      snd_config_delete(definition)
    }
  }

  private static func child(of node: OpaquePointer, _ key: String) -> OpaquePointer? {
    var found: OpaquePointer?
    return snd_config_search(node, key, &found) >= 0 ? found : nil
  }

  private static func string(_ node: OpaquePointer) -> String? {
    var characters: UnsafePointer<CChar>?
    guard snd_config_get_string(node, &characters) >= 0 else { return nil }
    return characters.map { String(cString: $0) }
  }
}
