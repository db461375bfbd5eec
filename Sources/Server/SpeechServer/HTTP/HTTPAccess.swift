import NIOCore
import NIOHTTP1

/// The rules about who may use a server over HTTP.
struct HTTPAccess {
  /// The paths that need no key: a browser opens them without one, and they reveal nothing.
  private static let openPaths: Set = ["/", "/health", "/openapi.json"]
  /// The WebSocket subprotocol in which a browser, which cannot send other fields, sends its key.
  private static let keyProtocol = "openai-insecure-api-key."

  private let keys: [[UInt8]]
  private let origins: Set<String>
  private let hosts: Set<String>
  private let hasOnlyMetrics: Bool

  /// - Parameter hasOnlyMetrics: whether the server has nothing that a web page could want.
  init(_ options: SpeechServerOptions, hasOnlyMetrics: Bool = false) {
    self.hasOnlyMetrics = hasOnlyMetrics
    keys = options.apiKeys.map { Array($0.utf8) }
    origins = Set(options.allowedOrigins.map { $0.lowercased() })
    hosts = Set(options.allowedHosts.map { $0.lowercased() })
  }

  /// Checks a request's host, origin, and key.
  ///
  /// - Throws: a fault with the status 401 or 403.
  func check(_ head: HTTPRequestHead) throws(HTTPFault) {
    let host = head.headers.first(name: "Host")?.lowercased() ?? ""
    // With keys, a page that reaches the server by a name of its own has no key.
    guard !keys.isEmpty || hasOnlyMetrics || isOwn(host) else {
      throw HTTPFault(
        .forbidden, code: "unknown_host",
        "the host \(quoted(host)) is not a name of this server; use its IP address, or allow the host"
      )
    }
    if let origin = head.headers.first(name: "Origin")?.lowercased() {
      let isSame = origin == "http://\(host)" || origin == "https://\(host)"
      guard isSame || origins.contains(origin) || origins.contains("*") else {
        throw HTTPFault(
          .forbidden, code: "unknown_origin",
          "pages of \(quoted(origin)) may not use this server; allow the origin")
      }
    }
    // A browser asks for permission without a key.
    guard !keys.isEmpty, !Self.openPaths.contains(head.path), head.method != .OPTIONS else {
      return
    }
    guard let key = Self.key(in: head) else {
      throw HTTPFault(
        .unauthorized, code: "missing_api_key", "send an API key as \"Authorization: Bearer KEY\"",
        fields: ["WWW-Authenticate": "Bearer"])
    }
    // Compares with each key in full, so that the time reveals nothing.
    let matches = keys.map { Self.isEqual($0, Array(key.utf8)) }
    guard matches.contains(true) else {
      throw HTTPFault(
        .unauthorized, code: "invalid_api_key", "the API key is not one of this server's keys",
        fields: ["WWW-Authenticate": "Bearer"])
    }
  }

  /// The fields that allow a page of another origin to read the response.
  func fields(for head: HTTPRequestHead) -> HTTPHeaders {
    guard let origin = head.headers.first(name: "Origin"),
      origins.contains("*") || origins.contains(origin.lowercased())
    else { return origins.isEmpty ? [:] : ["Vary": "Origin"] }
    var fields: HTTPHeaders = [
      "Access-Control-Allow-Origin": origin, "Vary": "Origin",
      "Access-Control-Expose-Headers": "Retry-After, Syrinx-Model, Syrinx-Notice, Syrinx-Warning",
    ]
    if head.method == .OPTIONS {
      fields.add(name: "Access-Control-Allow-Methods", value: "GET, POST")
      fields.add(
        name: "Access-Control-Allow-Headers",
        value: head.headers.first(name: "Access-Control-Request-Headers")
          ?? "Authorization, Content-Type")
      fields.add(name: "Access-Control-Max-Age", value: "600")
    }
    return fields
  }

  /// Whether the value of `Host` is an IP address, `localhost`, or an allowed name.
  private func isOwn(_ host: String) -> Bool {
    let name =
      host.hasPrefix("[")
      ? String(host.dropFirst().prefix { $0 != "]" }) : String(host.prefix { $0 != ":" })
    let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
    return isAddress || name == "localhost" || name.hasSuffix(".localhost") || hosts.contains(name)
  }

  private static func key(in head: HTTPRequestHead) -> String? {
    if let value = head.headers.first(name: "Authorization") {
      let words = value.split(separator: " ", maxSplits: 1)
      guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
      return String(words[1])
    }
    let protocols = head.headers[canonicalForm: "Sec-WebSocket-Protocol"]
    return protocols.first { $0.hasPrefix(keyProtocol) }.map {
      String($0.dropFirst(keyProtocol.count))
    }
  }

  /// Compares in a time that depends on the length of `other` only.
  private static func isEqual(_ key: [UInt8], _ other: [UInt8]) -> Bool {
    var difference = UInt8(key.count == other.count ? 0 : 1)
    for index in other.indices {
      difference |= other[index] ^ (key.isEmpty ? 1 : key[index % key.count])
    }
    return difference == 0
  }
}
