import FilePaths

/// A playlist format.
enum PlaylistFormat: String {
  case m3u, m3u8, pls

  /// The format by the beginning of the text; nil for a text without a header, and for no playlist.
  init?(head: [UInt8]) {
    let text = head.withoutByteOrderMark.drop { $0.isBlank || $0.isNewline }
    let line = String(decoding: text.prefix { !$0.isNewline }.trimmed, as: UTF8.self).lowercased()
    switch line {
    case "[playlist]": self = .pls
    case _ where line.hasPrefix("#extm3u"): self = .m3u
    default: return nil
    }
  }

  /// The format by the media type of a server's answer; nil if it is another one.
  init?(type: String) {
    switch type.split(separator: "/").last {
    case "mpegurl", "x-mpegurl", "vnd.apple.mpegurl": self = .m3u
    case "x-scpls", "scpls", "pls+xml": self = .pls
    default: return nil
    }
  }

  /// Whether a text lists the parts of a stream (HLS), which are no files.
  static func isOfParts(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: \.isNewline).contains { line in
      ["#EXT-X-TARGETDURATION", "#EXT-X-STREAM-INF"].contains { line.starts(with: $0.utf8) }
    }
  }

  /// The entries of a playlist, in order.
  func entries(_ bytes: [UInt8]) -> [FilePath] {
    let lines = bytes.withoutByteOrderMark.split(whereSeparator: \.isNewline).map(\.trimmed)
    switch self {
    case .m3u, .m3u8:
      return lines.filter { !$0.isEmpty && $0.first != UInt8(ascii: "#") }.map(
        FilePath.init(bytes:))
    case .pls: return Self.numbered(lines)
    }
  }

  /// The values of `File1=…`, `File2=…` by their numbers.
  private static func numbered(_ lines: [ArraySlice<UInt8>]) -> [FilePath] {
    lines.compactMap { line -> (number: Int, file: FilePath)? in
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let key = String(decoding: line[..<equals].trimmed, as: UTF8.self).lowercased()
      let value = line[(equals + 1)...].trimmed
      guard key.hasPrefix("file"), let number = Int(key.dropFirst(4)), !value.isEmpty else {
        return nil
      }
      return (number, FilePath(bytes: value))
    }
    .sorted { $0.number < $1.number }.map(\.file)
  }
}

extension [UInt8] {
  fileprivate var withoutByteOrderMark: ArraySlice<UInt8> {
    dropFirst(starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
  }
}

extension UInt8 {
  fileprivate var isNewline: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension ArraySlice<UInt8> {
  /// Without spaces and tabs at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    var rest = drop(while: \.isBlank)
    while let last = rest.last, last.isBlank { rest.removeLast() }
    return rest
  }
}
