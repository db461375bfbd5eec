import AudioThreads
import FilePaths
import Glibc
import SoundFile

/// A file to transcribe, or the file or folder that a `TranscriptionProblem` is about.
struct TranscriptionInput: Equatable, Sendable {
  let file: FilePath
  /// The path in the output folder; the file's transcripts have this path with other extensions.
  let place: FilePath
  /// The version of the file; nil if the input is standard input, a pipe, or a web address.
  var version: FileVersion?

  /// The name to write to `failed.txt`.
  ///
  /// When the list is read again, the name yields the same `file` and `place`.
  var listed: FilePath {
    let above = file.bytes.dropLast(place.bytes.count)
    guard !file.isWebAddress, above.last == UInt8(ascii: "/"),
      file.bytes[above.endIndex...].elementsEqual(place.bytes)
    else { return file }
    return FilePath(bytes: above + [UInt8(ascii: "."), UInt8(ascii: "/")] + place.bytes)
  }
}

/// The state of a file, which changes whenever the file is written.
struct FileVersion: Equatable, Sendable {
  let byteCount: Int
  /// The time of the last modification: seconds since 1970, and nanoseconds.
  let modifiedSeconds: Int
  let modifiedNanoseconds: Int

  /// Creates a version; nil if the status is not that of a regular file.
  init?(_ status: stat?) {
    guard let status, status.isRegularFile else { return nil }
    byteCount = Int(status.st_size)
    modifiedSeconds = Int(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
  }
}

/// An input that cannot be transcribed.
struct TranscriptionProblem: Error, CustomStringConvertible {
  let input: TranscriptionInput
  let description: String
}

typealias FoundInput = Result<TranscriptionInput, TranscriptionProblem>

/// The files that the arguments of `syrinx transcribe` select: named files, the files in folders,
/// and the entries of a list.
struct TranscriptionInputs: Sendable {
  var arguments: [FilePath]
  /// Patterns for the names of the files in folders; if there are none, sound files are
  /// transcribed.
  var patterns: [FilePath] = []
  /// The file that lists names; `-` is standard input.
  var list: FilePath?
  /// The byte that ends a name in the list: a line feed or a NUL.
  var separator = UInt8(ascii: "\n")

  /// Whether the arguments select exactly one file.
  var isOneFile: Bool { list == nil && arguments.count == 1 && !arguments[0].isFolder }

  /// Whether the inputs can be listed more than once.
  var isRepeatable: Bool {
    let files = arguments + [list].compactMap(\.self)
    return !files.contains("-") && list.map { FileVersion($0.status) != nil } ?? true
  }

  func makeIterator(stopSignal: WakeUp? = nil) throws -> Iterator {
    Iterator(self, names: try list.map { try names(in: $0, stopSignal: stopSignal) })
  }

  /// Opens a list of names.
  private func names(
    in list: FilePath, stopSignal: WakeUp?
  ) throws(CommandFailure) -> RecordReader {
    let (isFile, name) = (list != "-", "\(list.shownName)")
    // Opening a pipe must not block, because a blocked call would ignore the stop signal. Until
    // there is data, the pipe is polled.
    let flags = O_RDONLY | O_CLOEXEC | (stopSignal == nil ? 0 : O_NONBLOCK)
    let number = isFile ? list.withCString { open($0, flags) } : STDIN_FILENO
    guard number >= 0 else { throw .unreadable(name, errno) }
    let descriptor = isFile ? Descriptor(owning: number) : nil
    let tooLong = CommandFailure(
      "\(name) is not a list of files: a name in it is longer than 1 MiB")
    return RecordReader(separator: separator, longest: 1 << 20, tooLong: tooLong) {
      try availableBytes(
        of: descriptor?.number ?? STDIN_FILENO, named: name, stopSignal: stopSignal)
    }
  }

  /// Finds the inputs one at a time; a call may wait for a disk or a pipe.
  struct Iterator {
    private var arguments: ArraySlice<FilePath>
    private let patterns: [FilePath]
    private var names: RecordReader?
    private let endsWithNUL: Bool
    /// The folder that is being walked, and whether no file was found in it yet.
    private var walk: (files: FolderWalk, root: TranscriptionInput, isEmpty: Bool)?

    fileprivate init(_ inputs: TranscriptionInputs, names: RecordReader?) {
      (arguments, patterns, self.names) = (inputs.arguments[...], inputs.patterns, names)
      endsWithNUL = inputs.separator == 0
    }

    /// Returns the next input; nil at the end.
    ///
    /// - Throws: `CommandFailure` if the list cannot be read; `CancellationError`.
    mutating func next() throws -> FoundInput? {
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
      guard let name = try names?.next() else { return nil }
      guard endsWithNUL || !name.contains(0) else {
        throw CommandFailure("names in the list end with NUL; add --null")
      }
      return FilePath(bytes: name).asListed
    }

    private mutating func nextInFolder() -> FoundInput? {
      guard let root = walk?.root else { return nil }
      switch walk?.files.next() {
      case .file(let file, let status):
        walk?.isEmpty = false
        return .success(root.below(file, FileVersion(status)))
      case .unreadable(let folder):
        walk?.isEmpty = false
        return root.below(folder).problem(
          "cannot read the folder \(folder); check its permissions")
      case nil:
        defer { walk = nil }
        guard walk?.isEmpty == true else { return nil }
        let kind = patterns.isEmpty ? "no sound files" : "no files whose names match"
        return root.problem("\(root.file) contains \(kind)")
      }
    }
  }
}

/// Finds the unfinished inputs on a separate thread.
actor RemainingInputs {
  private let executor: ThreadExecutor
  private let folder: TranscriptFolder?
  private let done: TranscriptManifest?
  private var inputs: TranscriptionInputs.Iterator
  private var claimed: Set<RunChecksum> = []
  private var upcoming: FoundInput?

  /// The number of inputs that were skipped because they are finished, and their size in bytes.
  private(set) var skipped = (count: 0, byteCount: 0)

  /// Begins the search for unfinished inputs.
  ///
  /// - Parameters:
  ///   - inputs: all inputs of the command.
  ///   - folder: the folder for transcripts; nil for standard output.
  ///   - done: the finished files, which are skipped.
  ///   - stopSignal: once it is signaled, reading a list throws `CancellationError`.
  init(
    _ inputs: TranscriptionInputs, folder: TranscriptFolder?, skipping done: TranscriptManifest?,
    stopSignal: WakeUp?
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-inputs")
    (self.folder, self.done) = (folder, done)
    self.inputs = try inputs.makeIterator(stopSignal: stopSignal)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Returns whether all inputs are finished.
  func isEmpty() throws -> Bool {
    upcoming = try next()
    return upcoming == nil
  }

  /// Returns the next unfinished input; nil at the end.
  func next() throws -> FoundInput? {
    if let input = upcoming.take() { return input }
    while let found = try inputs.next() {
      guard let folder, case .success(let input) = found else { return found }
      let transcript = input.place.withoutExtension
      guard claimed.insert(RunChecksum(transcript.bytes)).inserted else {
        return input.problem(
          "\(input.file): another file of this run already uses the transcript name \(transcript)")
      }
      if let own = folder.ownFile(namedLikeTranscriptsOf: input) {
        return input.problem(
          "\(input.file): its transcript would replace \(own); rename the file")
      }
      guard let done, done.contains(input), folder.hasTranscripts(of: input) else {
        return found
      }
      skipped.count += 1
      skipped.byteCount += input.version?.byteCount ?? 0
    }
    return nil
  }
}

extension TranscriptionInput {
  /// Throws if the file has changed since it was found.
  func checkUnchanged() throws(CommandFailure) {
    guard let version, version != FileVersion(file.status) else { return }
    throw CommandFailure("\(file) changed while it was read; transcribe it again")
  }

  /// Returns a failure with the reason that this input cannot be transcribed.
  fileprivate func problem(_ description: String) -> FoundInput {
    .failure(TranscriptionProblem(input: self, description: description))
  }

  /// Returns the input for a file or folder inside this folder, or for the folder itself.
  fileprivate func below(_ file: FilePath, _ version: FileVersion? = nil) -> TranscriptionInput {
    let rest = FilePath(
      bytes: file.bytes[self.file.bytes.count...].drop { $0 == UInt8(ascii: "/") })
    let path = place.bytes.isEmpty ? rest : rest.bytes.isEmpty ? place : place.appending(rest)
    return TranscriptionInput(file: file, place: path, version: version)
  }
}

extension FilePath {
  /// The path in the output folder for a file that is an argument of the command.
  var ownPlace: FilePath { self == "-" ? "stdin" : name }

  /// The file that this line of a list names, and its path in the output folder.
  ///
  /// The path contains the folders after `/./`, or all folders if there is no `/./`.
  fileprivate var asListed: (file: FilePath, place: FilePath) {
    guard !isWebAddress else { return (self, name) }
    let slash = UInt8(ascii: "/")
    let mark = bytes.indices.last { bytes[$0...].starts(with: "/./".utf8) }
    let kept = mark.map { bytes[($0 + 3)...] } ?? bytes[...]
    let file = mark.map { FilePath(bytes: bytes[...$0] + kept) } ?? self
    // `..` is removed, so that transcripts stay in the output folder.
    let folders = kept.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
      .filter { !$0.elementsEqual("..".utf8) }
    // In a list, - is a file, not standard input.
    return (file == "-" ? "./-" : file, FilePath(bytes: folders.joined(separator: [slash])))
  }
}
