import AudioThreads
import FilePaths
import Glibc

/// A file to transcribe, or a folder that cannot be read.
struct TranscriptionInput: Equatable, Sendable {
  let file: FilePath
  /// The path of its transcripts below the output folder, with the extension of the file.
  let place: FilePath
  /// Nil for standard input, a pipe, and an address.
  var version: FileVersion?

  /// The name for a list, from which this input comes back.
  var listed: FilePath {
    let above = file.bytes.dropLast(place.bytes.count)
    guard above.last == UInt8(ascii: "/"), file.bytes[above.endIndex...].elementsEqual(place.bytes)
    else { return file }
    return FilePath(bytes: above + [UInt8(ascii: "."), UInt8(ascii: "/")] + place.bytes)
  }
}

/// The state of a file, which changes when the file is written.
struct FileVersion: Equatable, Sendable {
  let byteCount: Int
  /// The last modification, in seconds and nanoseconds since 1970.
  let modified: (seconds: Int, nanoseconds: Int)

  /// Nil for anything that is not a regular file.
  init?(_ status: stat?) {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    byteCount = Int(status.st_size)
    modified = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
  }

  static func == (one: Self, other: Self) -> Bool {
    one.byteCount == other.byteCount && one.modified == other.modified
  }
}

/// An input that cannot be transcribed.
struct TranscriptionProblem: Error, CustomStringConvertible {
  let input: TranscriptionInput
  let description: String
}

/// The files that the arguments of `syrinx transcribe` stand for: named files, the files in folders,
/// and the entries of a list.
struct TranscriptionInputs: Sendable {
  var arguments: [FilePath]
  /// Patterns for the names of the files in folders; empty for sound files.
  var patterns: [FilePath] = []
  var list: NameList?

  /// Whether they are exactly one file.
  var isOneFile: Bool { list == nil && arguments.count == 1 && !arguments[0].isFolder }

  /// Whether they can be read more than once.
  var isRepeatable: Bool {
    arguments.allSatisfy { $0 != "-" } && list.map { FileVersion($0.file.status) != nil } ?? true
  }

  func makeIterator(stopSignal: WakeUp? = nil) throws -> Iterator {
    Iterator(self, names: try list?.open(stopSignal: stopSignal))
  }

  /// Finds the inputs one at a time; it may wait for a disk or a pipe.
  struct Iterator {
    private var arguments: ArraySlice<FilePath>
    private let patterns: [FilePath]
    private let names: NameReader?
    /// The folder whose files come next, and whether it had any.
    private var walk: (files: FolderWalk, root: TranscriptionInput, isEmpty: Bool)?

    fileprivate init(_ inputs: TranscriptionInputs, names: NameReader?) {
      (arguments, patterns, self.names) = (inputs.arguments[...], inputs.patterns, names)
    }

    /// - Throws: `CommandFailure` if the list cannot be read; `CancellationError`.
    mutating func next() throws -> Result<TranscriptionInput, TranscriptionProblem>? {
      while true {
        try Task.checkCancellation()
        if let found = nextInFolder() { return found }
        guard let (file, place) = try nextNamed() else { return nil }
        let status = file == "-" || file.isWebAddress ? nil : file.status
        guard status?.isFolder == true else {
          let input = TranscriptionInput(file: file, place: place, version: FileVersion(status))
          return .success(input)
        }
        let files = FolderWalk(file, by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
          [patterns] name in
          patterns.isEmpty ? name.isSound : patterns.contains(where: name.matches)
        }
        walk = (files, TranscriptionInput(file: file, place: place), isEmpty: true)
      }
    }

    private mutating func nextNamed() throws -> (file: FilePath, place: FilePath)? {
      if let file = arguments.popFirst() {
        return (file, file.isFolder ? "" : file.ownPlace)
      }
      return try names?.next().map(FilePath.init(bytes:)).map(\.asListed)
    }

    private mutating func nextInFolder() -> Result<TranscriptionInput, TranscriptionProblem>? {
      guard let root = walk?.root else { return nil }
      switch walk?.files.next() {
      case .file(let file, let status):
        walk?.isEmpty = false
        return .success(root.below(file, FileVersion(status)))
      case .unreadable(let folder):
        walk?.isEmpty = false
        return .failure(
          TranscriptionProblem(
            input: root.below(folder),
            description: "cannot read the folder \(folder); check its permissions"))
      case nil:
        defer { walk = nil }
        guard walk?.isEmpty == true else { return nil }
        let kind = patterns.isEmpty ? "no sound files" : "no files whose names match"
        return .failure(
          TranscriptionProblem(input: root, description: "\(root.file) contains \(kind)"))
      }
    }
  }
}

extension TranscriptionInput {
  /// A file or folder in this folder, or this one.
  fileprivate func below(_ file: FilePath, _ version: FileVersion? = nil) -> TranscriptionInput {
    let rest = FilePath(
      bytes: file.bytes[self.file.bytes.count...].drop { $0 == UInt8(ascii: "/") })
    let path = place.bytes.isEmpty ? rest : rest.bytes.isEmpty ? place : place.appending(rest)
    return TranscriptionInput(file: file, place: path, version: version)
  }
}

extension FilePath {
  /// The place of a file that was named itself.
  var ownPlace: FilePath { self == "-" ? "stdin" : name }

  /// The file of this name in a list, and the folders that its transcripts keep: those after `/./`,
  /// or all.
  fileprivate var asListed: (file: FilePath, place: FilePath) {
    guard !isWebAddress else { return (self, name) }
    let slash = UInt8(ascii: "/")
    let mark = bytes.indices.last { bytes[$0...].starts(with: "/./".utf8) }
    let kept = mark.map { bytes[($0 + 3)...] } ?? bytes[...]
    let file = mark.map { FilePath(bytes: bytes[...$0] + kept) } ?? self
    // Transcripts stay below the output folder.
    let folders = kept.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
      .filter { !$0.elementsEqual("..".utf8) }
    // A list names no standard input.
    return (file == "-" ? "./-" : file, FilePath(bytes: folders.joined(separator: [slash])))
  }
}

/// A list of names, each ended by a line feed, or by a NUL.
struct NameList: Sendable {
  /// The list's file; - is standard input.
  let file: FilePath
  /// The byte that ends a name.
  let separator: UInt8

  fileprivate func open(stopSignal: WakeUp?) throws(CommandFailure) -> NameReader {
    guard file != "-" else {
      return NameReader("standard input", STDIN_FILENO, separator, stopSignal: stopSignal)
    }
    let descriptor = file.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .unreadable("\(file)", errno) }
    return NameReader(
      "\(file)", descriptor, separator, closesDescriptor: true, stopSignal: stopSignal)
  }
}

/// Reads what a separator ends, such as lines, as it is needed.
final class NameReader {
  /// In bytes; a longer name shows that something else is read.
  private static let longest = 1 << 20

  private let name: String
  private let descriptor: Int32
  private let separator: UInt8
  private let closesDescriptor: Bool
  private let stopSignal: WakeUp?
  private var bytes: ArraySlice<UInt8> = []

  /// - Parameter stopSignal: once it is signaled, reading throws `CancellationError`.
  init(
    _ name: String, _ descriptor: Int32, _ separator: UInt8, closesDescriptor: Bool = false,
    stopSignal: WakeUp? = nil
  ) {
    (self.name, self.descriptor, self.separator) = (name, descriptor, separator)
    (self.closesDescriptor, self.stopSignal) = (closesDescriptor, stopSignal)
  }

  deinit {
    if closesDescriptor { close(descriptor) }
  }

  /// The next name that is not empty, without what ends it; nil at the end.
  func next() throws -> [UInt8]? {
    while true {
      let end = bytes.firstIndex(of: separator)
      let more = end == nil ? try read() : []
      if end == nil, !more.isEmpty {
        bytes += more
        guard bytes.count <= Self.longest else {
          throw CommandFailure(description: "\(name) is not a list: a name in it has no end")
        }
        continue
      }
      guard end != nil || !bytes.isEmpty else { return nil }
      let record = Array(bytes[..<(end ?? bytes.endIndex)])
      bytes = end.map { bytes[($0 + 1)...] } ?? []
      guard separator == 0 || !record.contains(0) else {
        throw CommandFailure(description: "names in \(name) end with NUL; add --null")
      }
      if !record.isEmpty { return record }
    }
  }

  /// What is available; nothing at the end.
  private func read() throws -> [UInt8] {
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      try waitForInput()
      let count = Glibc.read(descriptor, &part, part.count)
      if count >= 0 { return Array(part[..<count]) }
      guard errno == EINTR || errno == EAGAIN else { throw CommandFailure.unreadable(name, errno) }
    }
  }

  private func waitForInput() throws(CancellationError) {
    guard let stopSignal else { return }
    var sources = [descriptor, stopSignal.fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while poll(&sources, 2, -1) < 0 && errno == EINTR {}
    if sources[1].revents != 0 { throw CancellationError() }
  }
}

extension CommandFailure {
  fileprivate static func unreadable(_ name: String, _ code: Int32) -> CommandFailure {
    CommandFailure(
      description: "cannot read \(name): \(FilePathError(code: code).readingReason)")
  }
}
