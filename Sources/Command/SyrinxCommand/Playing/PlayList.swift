import FilePaths
import FoundationEssentials
import Glibc
import SoundFile

/// The files that the arguments of `syrinx play` name: a folder stands for the sound files in it,
/// and a playlist for its entries.
struct PlayList {
  /// The files, URLs, and `-`, in order.
  private(set) var files: [FilePath] = []
  /// Messages about arguments and playlist entries that cannot be played.
  private(set) var problems: [String] = []
  /// Whether any file is a source that may be slow: standard input, a named pipe, or a device.
  ///
  /// The entries of a playlist are not examined.
  private(set) var hasStream = false

  /// The maximum size of a playlist in bytes; it is lower for a web server, which may send
  /// anything.
  private static let longest = (file: 16 << 20, answer: 1 << 20)

  /// The maximum number of entries of a playlist on the web.
  private static let mostEntries = 1_000
  /// The maximum number of rejected web playlist entries that get a message of their own.
  private static let mostRefusals = 10

  /// Requests a playlist from a server; returns nil if that fails.
  private let ask: Asking
  /// Returns whether an address is in a private network; nil if its host is unknown.
  private let isPrivate: @Sendable (_ address: String) -> Bool?

  typealias Asking =
    @Sendable (
      _ address: String, _ isWanted: (_ type: String, _ head: [UInt8]) -> Bool
    ) -> WebAnswer?

  /// Reads the folders and playlists among the arguments.
  init(
    _ arguments: [FilePath], ask: @escaping Asking = Self.ask,
    isPrivate: @escaping @Sendable (_ address: String) -> Bool? = {
      WebAnswer.isPrivate($0)
    }
  ) {
    (self.ask, self.isPrivate) = (ask, isPrivate)
    for argument in arguments { add(argument) }
  }

  @Sendable private static func ask(
    _ address: String, _ isWanted: (_ type: String, _ head: [UInt8]) -> Bool
  ) -> WebAnswer? {
    // The error is ignored, because the player requests the address again and reports the problem.
    (try? WebAnswer.following(address, atMost: longest.answer, isWanted: isWanted)) ?? nil
  }

  private mutating func add(_ argument: FilePath) {
    let count = files.count
    if argument.isWebAddress { return addAddress(argument) }
    let status = argument == "-" ? nil : argument.status
    if argument == "-" {
      append(argument, isStream: true)
    } else if status?.isFolder == true {
      addFolder(argument)
      if files.count == count { problems.append("\(argument) contains no sound files") }
    } else if let format = PlaylistFormat(argument, status) {
      addPlaylist(argument, format)
    } else {
      append(argument, isStream: status?.isRegularFile == false)
    }
  }

  private mutating func append(_ file: FilePath, isStream: Bool) {
    files.append(file)
    hasStream = hasStream || isStream
  }

  private mutating func addFolder(_ folder: FilePath) {
    for entry in FolderWalk(folder, by: isBefore) {
      switch entry {
      case .file(let file, let status): append(file, isStream: status?.isRegularFile == false)
      case .unreadable(let folder):
        problems.append("cannot read the folder \(folder); check its permissions")
      }
    }
  }

  private mutating func addPlaylist(_ playlist: FilePath, _ format: PlaylistFormat) {
    // Pipes and devices are excluded, because they may never end.
    guard playlist.status?.isRegularFile ?? true else {
      return problems.append("cannot read \(playlist): it is not a regular file")
    }
    do throws(FilePathError) {
      let bytes = try playlist.contents(atMost: Self.longest.file)
      guard let entries = entries(of: playlist, format, bytes, atMost: Self.longest.file) else {
        return
      }
      for entry in entries.map({ $0.resolved(in: playlist.folder) }) {
        // A playlist can be from an untrusted source, so it must not lead into a private network.
        guard entry.isWebAddress, isPrivate("\(entry)") == true else {
          files.append(entry)
          continue
        }
        problems.append(
          "\(playlist) names \(entry), which is in a private network; "
            + "give the address itself to play it")
      }
    } catch {
      problems.append("cannot read \(playlist): \(error.readingReason)")
    }
  }

  /// Returns the entries of a playlist; nil if the playlist cannot be used.
  private mutating func entries(
    of playlist: FilePath, _ format: PlaylistFormat, _ bytes: [UInt8], atMost longest: Int
  ) -> [FilePath]? {
    guard bytes.count <= longest else {
      problems.append("\(playlist) is too long for a playlist")
      return nil
    }
    guard !PlaylistFormat.isOfParts(bytes) else {
      problems.append(
        "\(playlist) lists the parts of a stream (HLS), which syrinx does not play; "
          + "give the address of a plain stream")
      return nil
    }
    let entries = format.entries(bytes)
    if entries.isEmpty { problems.append("\(playlist) contains no entries") }
    return entries
  }

  /// Adds an address as a file; if the address is a playlist, adds its entries instead.
  private mutating func addAddress(_ address: FilePath) {
    // An address with a sound file's extension is no playlist, so no request is needed.
    guard !address.isSound,
      let answer = ask(address.text, { PlaylistFormat(type: $0, head: $1, of: address) != nil }),
      let format = PlaylistFormat(type: answer.type, head: answer.bytes, of: address),
      // If no byte could be read, the address is added as a file, and the player reports the error.
      answer.isComplete || !answer.bytes.isEmpty
    else { return append(address, isStream: false) }
    guard answer.isComplete else {
      return problems.append("cannot read \(address): its server did not send all of it")
    }
    guard
      let entries = entries(of: address, format, answer.bytes, atMost: Self.longest.answer)
    else { return }
    addEntries(entries, of: address, at: answer.address)
  }

  /// Adds the entries of a playlist; `base` is the playlist's address, after redirections.
  private mutating func addEntries(_ entries: [FilePath], of playlist: FilePath, at base: String) {
    let isInside = isPrivate(playlist.text) == true
    var refusedCount = 0
    for entry in entries.prefix(Self.mostEntries) {
      // A playlist from a server must not name files of this machine.
      let target = WebAnswer.address(entry.text, in: base)
      if let target, isInside || isPrivate(target) == false {
        append(FilePath(target), isStream: false)
        continue
      }
      refusedCount += 1
      guard refusedCount <= Self.mostRefusals else { continue }
      let reason =
        target == nil
        ? "not on the web"
        : "in a private network or unknown; give the address itself to play it"
      problems.append("\(playlist) names \(entry), which is \(reason)")
    }
    if refusedCount > Self.mostRefusals {
      problems.append(
        "\(playlist) names more such entries: \(refusedCount) are not played")
    }
    if entries.count > Self.mostEntries {
      problems.append(
        "\(playlist) has \(entries.count) entries; those after the first \(Self.mostEntries) "
          + "are not played")
    }
  }
}

extension PlaylistFormat {
  /// The number of bytes at the beginning of a file from which its format is detected.
  private static let headLength = 512

  /// Detects the format of a file by its extension or its content; nil if it is not a playlist.
  fileprivate init?(_ file: FilePath, _ status: stat?) {
    if let format = PlaylistFormat(rawValue: file.pathExtension.lowercased()) {
      self = format
      return
    }
    // If the file cannot be read, the player reports the error.
    guard status?.isRegularFile == true, let head = try? file.contents(atMost: Self.headLength)
    else { return nil }
    self.init(head: head)
  }

  /// Detects the format of a server's response; nil if it is not a playlist.
  fileprivate init?(type: String, head: [UInt8], of address: FilePath) {
    // The content takes precedence over the extension, because a script at an address ending in
    // `.m3u` may return audio. Audio contains a NUL, so it is no playlist.
    let named = URL(string: address.text)
      .flatMap { PlaylistFormat(rawValue: FilePath($0.path()).pathExtension.lowercased()) }
    guard !head.contains(0), let format = Self(head: head) ?? Self(type: type) ?? named else {
      return nil
    }
    self = format
  }
}

extension FilePath {
  /// Resolves this entry of a playlist in `folder`; a web address or an absolute path is unchanged.
  fileprivate func resolved(in folder: FilePath) -> FilePath {
    if isWebAddress || isAbsolute { return self }
    if bytes.starts(with: "file://".utf8), let url = URL(string: text) { return FilePath(url) }
    return folder == "." ? self : folder.appending(self)
  }
}

/// Returns whether a name comes before another in natural order: `track 2` before `track 10`.
private func isBefore(_ name: FilePath, _ other: FilePath) -> Bool {
  let (first, second) = (parts(of: name), parts(of: other))
  guard let (one, two) = zip(first, second).first(where: { $0 != $1 }) else {
    return first.count == second.count ? name.text < other.text : first.count < second.count
  }
  return one.number == two.number ? one.text < two.text : one.number < two.number
}

/// Splits a name into letters and numbers, in order; the number of a letter is −1.
private func parts(of name: FilePath) -> [(number: Int, text: String)] {
  var parts: [(number: Int, text: String)] = []
  var rest = name.text.lowercased()[...]
  while let first = rest.first {
    let isNumber = first.isASCII && first.isNumber
    let part = isNumber ? rest.prefix { $0.isASCII && $0.isNumber } : rest.prefix(1)
    parts.append((isNumber ? Int(part) ?? .max : -1, isNumber ? "" : String(part)))
    rest = rest.dropFirst(part.count)
  }
  return parts
}

/// A playlist format.
enum PlaylistFormat: String {
  case m3u, m3u8, pls

  /// Detects the format by the beginning of the text; nil if the header is unknown.
  init?(head: [UInt8]) {
    let text = head.withoutByteOrderMark.drop { $0.isBlank || $0.isNewline }
    let line = String(decoding: text.prefix { !$0.isNewline }.trimmed, as: UTF8.self).lowercased()
    switch line {
    case "[playlist]": self = .pls
    case _ where line.hasPrefix("#extm3u"): self = .m3u
    default: return nil
    }
  }

  /// Detects the format by the media type of a server's response; nil for other types.
  init?(type: String) {
    switch type.split(separator: "/").last {
    case "mpegurl", "x-mpegurl", "vnd.apple.mpegurl": self = .m3u
    case "x-scpls", "scpls", "pls+xml": self = .pls
    default: return nil
    }
  }

  /// Returns whether a text lists the segments of an HLS stream, which are not separate files.
  static func isOfParts(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: \.isNewline).contains { line in
      ["#EXT-X-TARGETDURATION", "#EXT-X-STREAM-INF"].contains { line.starts(with: $0.utf8) }
    }
  }

  /// Returns the entries of a playlist, in order.
  func entries(_ bytes: [UInt8]) -> [FilePath] {
    let lines = bytes.withoutByteOrderMark.split(whereSeparator: \.isNewline).map(\.trimmed)
    switch self {
    case .m3u, .m3u8:
      return lines.filter { !$0.isEmpty && $0.first != UInt8(ascii: "#") }.map(
        FilePath.init(bytes:))
    case .pls: return Self.numbered(lines)
    }
  }

  /// Returns the values of `File1=…`, `File2=…` in the order of their numbers.
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
  /// The bytes without spaces and tabs at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    var rest = drop(while: \.isBlank)
    while let last = rest.last, last.isBlank { rest.removeLast() }
    return rest
  }
}
