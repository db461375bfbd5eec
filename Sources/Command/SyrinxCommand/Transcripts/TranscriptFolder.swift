import ArgumentParser
import AudioCore
import AudioThreads
import FilePaths
import Glibc
import SoundFile
import SpeechClient

/// The folder of `--output-dir`, with a transcript per file and format.
struct TranscriptFolder {
  let path: FilePath
  let styles: [TranscriptStyle]

  /// Throws if the transcripts of two files would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
    for file in files where !file.isFolder {
      let name = file.ownPlace.withoutExtension
      if let other = owners.updateValue(file, forKey: name) {
        throw ValidationError(
          "the transcripts of \(other) and \(file) would both be \(name).\(styles[0].pathExtension); "
            + "write them to separate folders.")
      }
    }
  }

  /// Opens the transcripts of an input, in the order of the styles.
  func files(for input: TranscriptionInput) async throws -> [PendingOutput] {
    let files = styles.map { file(for: input, $0) }
    // All transcripts of an input are in one folder, because only their extensions differ.
    try await makeFolder(files[0].folder)
    return try files.map { try PendingOutput(path: $0.text) }
  }

  /// Whether all transcripts of an input exist.
  func hasTranscripts(of input: TranscriptionInput) -> Bool {
    styles.allSatisfy { FileVersion(file(for: input, $0).status) != nil }
  }

  /// Returns `failed.txt` or the manifest if a transcript of the input would overwrite it;
  /// otherwise nil.
  func ownFile(namedLikeTranscriptsOf input: TranscriptionInput) -> FilePath? {
    let own = [TranscriptArchive.failedName, TranscriptArchive.manifestName].map(path.appending)
    return own.first(where: styles.map { file(for: input, $0) }.contains)
  }

  /// Returns the path of a transcript: `2024/talk.txt` for `2024/talk.wav`.
  func file(for input: TranscriptionInput, _ style: TranscriptStyle) -> FilePath {
    path.appending(
      FilePath(bytes: input.place.withoutExtension.bytes + ".\(style.pathExtension)".utf8))
  }
}

/// The records of an output folder: `manifest.jsonl` and `failed.txt`.
///
/// Only one process at a time writes them, on a separate thread.
actor TranscriptArchive {
  static let failedName: FilePath = "failed.txt"
  static let manifestName: FilePath = "manifest.jsonl"

  private let executor: ThreadExecutor
  /// The path of `failed.txt`, the list of the failed inputs.
  nonisolated let failedPath: FilePath
  private let manifestPath: FilePath
  private let listSeparator: UInt8
  private var manifest: TranscriptManifest
  private var lock: FolderLock?
  private var manifestFile: Descriptor?
  /// Whether the last line of the manifest is incomplete, because a process was killed while it
  /// wrote the line.
  private var isCut = false
  private var failed: PendingFile?

  /// Creates an archive; `listSeparator` is the byte that ends a name in `failed.txt`.
  init(folder: FilePath, recipe: JSONRecord, listSeparator: UInt8) throws {
    executor = try ThreadExecutor(name: "syrinx-archive")
    failedPath = folder.appending(Self.failedName)
    manifestPath = folder.appending(Self.manifestName)
    self.listSeparator = listSeparator
    manifest = try TranscriptManifest(recipe: recipe)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Locks the folder for this process and returns the finished files.
  ///
  /// - Throws: `CommandFailure` if another process has locked the folder, or if it contains a
  ///   `failed.txt` that no run wrote.
  func open() throws -> TranscriptManifest {
    guard manifestPath.status != nil || failedPath.status == nil else {
      throw CommandFailure(
        "\(failedPath) was not made by this command; move it, or choose another folder"
      )
    }
    lock = try FolderLock(manifestPath.folder)
    let file = Descriptor(owning: try openForWriting(manifestPath, O_APPEND))
    var (status, last) = (stat(), UInt8(ascii: "\n"))
    fstat(file.number, &status)
    if status.st_size > 0 { pread(file.number, &last, 1, status.st_size - 1) }
    isCut = last != UInt8(ascii: "\n")
    var lines = RecordReader(longest: 1 << 20) { [manifestPath] in
      try availableBytes(of: file.number, named: "\(manifestPath)")
    }
    while let line = try lines.next() { manifest.add(line) }
    manifestFile = file
    return manifest
  }

  private func append(_ line: String) throws(OutputError) {
    guard let manifestFile else { return }
    let begin = isCut ? "\n" : ""
    isCut = false
    try OutputDescriptor(rawValue: manifestFile.number, name: "\(manifestPath)")
      .write(begin + line + "\n")
  }

  /// Records that existing transcripts of an input are about to be replaced.
  func willReplace(_ input: TranscriptionInput) throws(OutputError) {
    guard let entry = manifest.voidEntry(for: input) else { return }
    try append(entry)
  }

  /// Records that an input is done.
  func add(_ input: TranscriptionInput) throws(OutputError) {
    guard let entry = manifest.entry(for: input) else { return }
    try append(entry)
  }

  /// Adds an input to `failed.txt`; returns false for standard input and for a name that contains
  /// the list's separator.
  func addFailed(_ input: TranscriptionInput) throws -> Bool {
    guard input.file != "-", !input.listed.bytes.contains(listSeparator) else { return false }
    let list = try failed ?? PendingFile(for: failedPath.text)
    failed = list
    let bytes = input.listed.bytes + [listSeparator]
    try OutputDescriptor(rawValue: list.descriptor.number, name: "\(failedPath)").write(bytes)
    return true
  }

  /// Replaces `failed.txt`, or removes it if no input failed.
  func finish() throws {
    guard let failed = failed.take() else { return failedPath.remove() }
    try failed.publish()
  }

  /// Unlocks the folder for other processes.
  ///
  /// The command must call this, because it ends without waiting for the `deinit` of this actor.
  func close() {
    (manifestFile, lock) = (nil, nil)
  }
}

/// Opens a file, or creates it if it does not exist.
private func openForWriting(
  _ path: FilePath, _ flags: Int32 = 0
) throws(CommandFailure) -> Int32 {
  let flags = flags | O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
  let descriptor = path.withCString { open($0, flags, 0o666) }
  guard descriptor >= 0 else {
    throw CommandFailure("cannot write \(path): \(FilePathError(code: errno).reason)")
  }
  return descriptor
}

/// A lock on a folder, which is released when the process ends.
///
/// The lock file contains the process and the machine that hold the lock. The lock file is separate
/// from the manifest and uses `flock`, because other kinds of locks are released when any
/// descriptor of the file is closed.
private final class FolderLock {
  private let path: FilePath
  private let descriptor: Int32

  /// - Throws: `CommandFailure` if another process has locked the folder.
  init(_ folder: FilePath) throws(CommandFailure) {
    path = folder.appending(".lock")
    descriptor = try Self.locked(path)
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    ftruncate(descriptor, 0)
    let owner = "process \(getpid()) on \(FilePath(cString: host))"
    _ = owner.withCString { pwrite(descriptor, $0, strlen($0), 0) }
  }

  deinit {
    path.remove()
    close(descriptor)
  }

  private static func locked(_ path: FilePath) throws(CommandFailure) -> Int32 {
    while true {
      let descriptor = try openForWriting(path)
      // On a file system without locks, the folder counts as not locked by another process.
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        defer { close(descriptor) }
        throw folderInUse(path, descriptor)
      }
      var status = stat()
      fstat(descriptor, &status)
      if status.st_nlink > 0 { return descriptor }
      // The previous owner has just removed the lock file, so the loop tries again with a new file.
      close(descriptor)
    }
  }

  private static func folderInUse(_ path: FilePath, _ descriptor: Int32) -> CommandFailure {
    let content = try? FilePath.contents(of: descriptor, atMost: 300)
    // The owner's name is written after the file is locked, so the name may be missing.
    let owner = content.flatMap { FilePath(bytes: $0).description.unlessEmpty }
    return CommandFailure(
      "\(owner ?? "another process") is writing into \(path.folder); "
        + "wait until it ends, or choose another folder")
  }
}

/// Creates the record of the engine, model, and options that a transcript depends on.
extension JSONRecord {
  init(engine: String, styles: [TranscriptStyle], options: SpeechOptions) {
    self = [
      "engine": engine, "formats": styles.map(\.name), "locale": options.language,
      "translate": options.translates ? true : nil,
      "keyPhrases": options.keyPhrases.unlessEmpty?.map { phrase in
        phrase.text + (phrase.threshold.map { ":\($0)" } ?? "")
      },
      "context": options.contextualPhrases.unlessEmpty, "alternatives": options.alternatives,
      "engineOptions": options.engineSettings.unlessEmpty?.map { "\($0.name)=\($0.value)" },
      "endSilence": options.endSilence, "longestUtterance": options.longestUtterance,
      "tailPadding": options.tailPadding,
    ]
  }
}

/// The finished files, read from a manifest; each entry is a line of JSON.
///
/// The same version of a file, transcribed with the same options, always has the same entry. A file
/// is finished if the newest entry for its transcripts equals the entry for its current version and
/// options. There can be many entries, so only the checksums of their texts stay in memory.
struct TranscriptManifest: Sendable {
  /// The checksum of each transcript's newest entry, by the checksum of the transcript's path.
  private var entries: [RunChecksum: RunChecksum] = [:]
  /// The last part of every entry: the options of this run.
  private let recipe: String

  init(recipe: JSONRecord) throws {
    self.recipe = String(try recipe.jsonLine().dropFirst())
  }

  /// Adds a line of the manifest; a truncated line matches no file.
  mutating func add(_ line: [UInt8]) {
    guard let transcript = Self.transcript(of: line) else { return }
    entries[transcript] = RunChecksum(line)
  }

  /// Returns whether an input is finished: its newest entry in the manifest equals the entry for
  /// its current version and options.
  func contains(_ input: TranscriptionInput) -> Bool {
    guard let line = entry(for: input).map({ Array($0.utf8) }),
      let transcript = Self.transcript(of: line)
    else { return false }
    return entries[transcript] == RunChecksum(line)
  }

  /// Returns a line that invalidates the entry for the input's transcripts; nil if there is no
  /// entry.
  func voidEntry(for input: TranscriptionInput) -> String? {
    guard let file = input.place.jsonText else { return nil }
    let line = Self.begin + file + Self.afterFile + "replaced\":true}"
    return Self.transcript(of: Array(line.utf8)).flatMap { entries[$0] } == nil ? nil : line
  }

  /// Returns the entry for a transcribed input; nil if the input has no version.
  func entry(for input: TranscriptionInput) -> String? {
    guard let version = input.version, let file = input.place.jsonText else { return nil }
    return Self.begin + file + Self.afterFile + "size\":\(version.byteCount),\"modified\":"
      + "\(version.modifiedSeconds).\(version.modifiedNanoseconds.digits(9)),\(recipe)"
  }

  private static let begin = "{\"file\":\""
  /// The characters after the file name in an entry; they cannot occur within a JSON string.
  private static let afterFile = "\",\""

  /// Returns the checksum of the path in a line of the manifest, without the path's extension.
  private static func transcript(of line: [UInt8]) -> RunChecksum? {
    guard line.starts(with: begin.utf8) else { return nil }
    let file = line.dropFirst(begin.utf8.count)
    let end = Array(afterFile.utf8)
    var index = file.startIndex
    while let quote = file[index...].firstIndex(of: end[0]) {
      if file[quote...].starts(with: end) {
        return RunChecksum(FilePath(bytes: file[..<quote]).withoutExtension.bytes)
      }
      index = quote + 1
    }
    return nil
  }
}

/// A checksum of 128 bits that is valid only while the command runs.
struct RunChecksum: Hashable, Sendable {
  private let low: Int
  private let high: Int

  init(_ bytes: [UInt8]) {
    let parts = (0...1).map { seed in
      var hasher = Hasher()
      hasher.combine(seed)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      return hasher.finalize()
    }
    (low, high) = (parts[0], parts[1])
  }
}

extension FilePath {
  /// The path without the extension and the dot before it.
  var withoutExtension: FilePath {
    FilePath(bytes: bytes.dropLast(name.bytes.count - stem.bytes.count))
  }

  /// The text as the content of a JSON string.
  fileprivate var jsonText: String? {
    let isPlain = bytes.allSatisfy { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    return (try? jsonLine()).map { String($0.dropFirst().dropLast()) }
  }
}

/// Returns a checksum that is the same in every run: FNV-1a with 64 bits.
func stableChecksum(_ text: String) -> String {
  let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
  }
  return String(value, radix: 16)
}
