import FilePaths
import FoundationEssentials
import SoundFile

/// The files that the arguments of `syrinx play` stand for: a folder stands for the sound files in it,
/// and a playlist for its entries.
struct PlayList {
  /// The files, URLs, and `-`, in order.
  private(set) var files: [FilePath] = []
  /// Why arguments stand for nothing.
  private(set) var problems: [String] = []
  /// Whether a file is standard input, a named pipe, or a device, whose audio may come slowly.
  ///
  /// The entries of a playlist are not examined.
  private(set) var hasStream = false

  /// The longest playlist, in bytes.
  private static let longest = 16 << 20

  /// Reads the folders and playlists.
  init(_ arguments: [FilePath]) {
    for argument in arguments { add(argument) }
  }

  private mutating func add(_ argument: FilePath) {
    let count = files.count
    let status = argument == "-" || argument.isWebAddress ? nil : argument.status
    if argument == "-" || argument.isWebAddress {
      append(argument, isStream: argument == "-")
    } else if status?.isFolder == true {
      addFolder(argument)
      if files.count == count { problems.append("\(argument) contains no sound files") }
    } else if let format = PlaylistFormat(rawValue: argument.pathExtension.lowercased()) {
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
    // A pipe or a device may never end.
    guard playlist.status?.isRegularFile ?? true else {
      return problems.append("cannot read \(playlist): it is not a regular file")
    }
    do throws(FilePathError) {
      let bytes = try playlist.contents(atMost: Self.longest)
      guard bytes.count <= Self.longest else {
        return problems.append("\(playlist) is too long for a playlist")
      }
      let entries = format.entries(bytes).map { $0.resolved(in: playlist.folder) }
      if entries.isEmpty { problems.append("\(playlist) contains no entries") }
      for entry in entries {
        // A playlist may come from anywhere, so it must not lead into a private network.
        guard entry.isWebAddress, WebRedirection.isPrivate("\(entry)") == true else {
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
}

/// A playlist format, by its extension.
enum PlaylistFormat: String {
  case m3u, m3u8, pls

  /// The entries of a playlist, in order.
  func entries(_ bytes: [UInt8]) -> [FilePath] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map(\.trimmed)
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

extension ArraySlice<UInt8> {
  /// Without spaces and tabs at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}

extension FilePath {
  /// The entry of a playlist in this folder: an address, or a path from there.
  fileprivate func resolved(in folder: FilePath) -> FilePath {
    if isWebAddress || isAbsolute { return self }
    if bytes.starts(with: "file://".utf8), let url = URL(string: text) { return FilePath(url) }
    return folder == "." ? self : folder.appending(self)
  }
}

/// Whether a name comes before another one in natural order: `track 2` before `track 10`.
private func isBefore(_ name: FilePath, _ other: FilePath) -> Bool {
  let (first, second) = (parts(of: name), parts(of: other))
  guard let (one, two) = zip(first, second).first(where: { $0 != $1 }) else {
    return first.count == second.count ? name.text < other.text : first.count < second.count
  }
  return one.number == two.number ? one.text < two.text : one.number < two.number
}

/// The letters and numbers of a name, in order; a letter has the number −1.
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
