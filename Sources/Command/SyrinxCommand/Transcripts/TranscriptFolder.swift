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

  /// Throws if the transcripts of two named files would have the same name.
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

  /// Begins the transcripts of an input, in the order of the styles.
  func files(for input: TranscriptionInput) async throws -> [PendingOutput] {
    let files = styles.map { file(for: input, $0) }
    // They differ in their extensions only.
    try await makeFolder(files[0].folder)
    return try files.map { try PendingOutput(path: $0.text) }
  }

  /// Whether all transcripts of an input exist.
  func hasTranscripts(of input: TranscriptionInput) -> Bool {
    styles.allSatisfy { FileVersion(file(for: input, $0).status) != nil }
  }

  /// The list or the manifest of the folder, if a transcript of an input would have its name.
  func ownFile(namedLikeTranscriptsOf input: TranscriptionInput) -> FilePath? {
    let own = [TranscriptArchive.failedName, TranscriptArchive.manifestName].map(path.appending)
    return own.first(where: styles.map { file(for: input, $0) }.contains)
  }

  /// `2024/talk.wav` becomes `2024/talk.txt`.
  func file(for input: TranscriptionInput, _ style: TranscriptStyle) -> FilePath {
    path.appending(
      FilePath(bytes: input.place.withoutExtension.bytes + ".\(style.pathExtension)".utf8))
  }
}

/// The records of an output folder, on a thread of their own: `manifest.jsonl` and `failed.txt`, which
/// one process at a time writes.
actor TranscriptArchive {
  static let failedName: FilePath = "failed.txt"
  static let manifestName: FilePath = "manifest.jsonl"

  private let executor: ThreadExecutor
  /// The list of the inputs that failed.
  nonisolated let failedPath: FilePath
  private let manifestPath: FilePath
  private let listSeparator: UInt8
  private var manifest: TranscriptManifest
  private var lock: FolderLock?
  private var file: ManifestFile?
  private var failed: PendingFile?

  /// - Parameter listSeparator: what ends a name in `failed.txt`.
  init(folder: FilePath, recipe: JSONRecord, listSeparator: UInt8) throws {
    executor = try ThreadExecutor(name: "syrinx-archive")
    failedPath = folder.appending(Self.failedName)
    manifestPath = folder.appending(Self.manifestName)
    self.listSeparator = listSeparator
    manifest = try TranscriptManifest(recipe: recipe)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Takes the folder for this process and returns what is done.
  ///
  /// - Throws: `CommandFailure` if another process has the folder, or if it has a `failed.txt` that
  ///   no run made.
  func open() throws -> TranscriptManifest {
    guard manifestPath.status != nil || failedPath.status == nil else {
      throw CommandFailure(
        "\(failedPath) was not made by this command; move it, or choose another folder"
      )
    }
    lock = try FolderLock(manifestPath.folder)
    let file = try ManifestFile(manifestPath)
    var lines = file.lines()
    while let line = try lines.next() { manifest.add(line) }
    self.file = file
    return manifest
  }

  /// Records that the transcripts of an input, if there are some, are about to be replaced.
  func willReplace(_ input: TranscriptionInput) throws(OutputError) {
    guard let entry = manifest.voidEntry(for: input) else { return }
    try file?.append(entry)
  }

  /// Records that an input is done.
  func add(_ input: TranscriptionInput) throws(OutputError) {
    guard let entry = manifest.entry(for: input) else { return }
    try file?.append(entry)
  }

  /// Adds an input to `failed.txt`, and returns whether a list can name it.
  func addFailed(_ input: TranscriptionInput) throws -> Bool {
    guard input.file != "-", !input.listed.bytes.contains(listSeparator) else { return false }
    let list = try failed ?? PendingFile(for: failedPath.text)
    failed = list
    let bytes = input.listed.bytes + [listSeparator]
    try OutputDescriptor(rawValue: list.descriptor.number, name: "\(failedPath)").write(bytes)
    return true
  }

  /// Replaces `failed.txt`, or removes it if nothing failed.
  func finish() throws {
    guard let failed = failed.take() else { return failedPath.remove() }
    try failed.publish()
  }

  /// Lets other processes have the folder.
  ///
  /// The end of the command does not wait for this actor to go.
  func close() {
    (file, lock) = (nil, nil)
  }
}

/// Opens a file, which it creates if it does not exist.
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

/// The lock of a folder, which ends with the process.
///
/// Its file names the process and the machine that have it. It is not the manifest: whoever reads an
/// input closes it again, and only the locks of `flock` outlast that.
private final class FolderLock {
  private let path: FilePath
  private let descriptor: Int32

  /// - Throws: `CommandFailure` if another process has the folder.
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
      // A file system without locks has no other writer to exclude.
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        defer { close(descriptor) }
        throw folderInUse(path, descriptor)
      }
      var status = stat()
      fstat(descriptor, &status)
      if status.st_nlink > 0 { return descriptor }
      // Its owner has just removed it.
      close(descriptor)
    }
  }

  private static func folderInUse(_ path: FilePath, _ descriptor: Int32) -> CommandFailure {
    let content = try? FilePath.contents(of: descriptor, atMost: 300)
    // The owner has the lock before it writes its name.
    let owner = content.flatMap { FilePath(bytes: $0).description.unlessEmpty }
    return CommandFailure(
      "\(owner ?? "another process") is writing into \(path.folder); "
        + "wait until it ends, or choose another folder")
  }
}

/// The file of a manifest.
private final class ManifestFile {
  private let path: FilePath
  private let descriptor: Int32
  /// Whether the last line has no end, because a process was killed while it wrote.
  private var isCut = false

  init(_ path: FilePath) throws(CommandFailure) {
    self.path = path
    descriptor = try openForWriting(path, O_APPEND)
    var (status, last) = (stat(), UInt8(ascii: "\n"))
    fstat(descriptor, &status)
    if status.st_size > 0 { pread(descriptor, &last, 1, status.st_size - 1) }
    isCut = last != UInt8(ascii: "\n")
  }

  deinit {
    close(descriptor)
  }

  /// The lines, from the first one on.
  func lines() -> RecordReader {
    RecordReader(longest: 1 << 20) { [path, descriptor] in
      try availableBytes(of: descriptor, named: "\(path)")
    }
  }

  func append(_ line: String) throws(OutputError) {
    let begin = isCut ? "\n" : ""
    isCut = false
    try OutputDescriptor(rawValue: descriptor, name: "\(path)").write(begin + line + "\n")
  }
}

/// The engine, model, and options that a transcript depends on.
extension JSONRecord {
  init(engine: String, styles: [TranscriptStyle], options: SpeechOptions) {
    self = [
      "engine": engine, "formats": styles.map(\.name), "locale": options.language,
      "keyPhrases": options.keyPhrases.unlessEmpty?.map { option in
        option.phrase.text + (option.phrase.threshold.map { ":\($0)" } ?? "")
      },
      "context": options.contextualPhrases.unlessEmpty, "alternatives": options.alternatives,
      "engineOptions": options.engineSettings.unlessEmpty?.map { "\($0.name)=\($0.value)" },
      "endSilence": options.endSilence, "longestUtterance": options.longestUtterance,
      "tailPadding": options.tailPadding,
    ]
  }
}

/// The finished files, according to the entries of a manifest, which are lines of JSON.
///
/// Transcribing the same version of a file in the same way always gives the same entry. So a file
/// is done if the last entry for its transcripts equals the one that it would get now. Only
/// checksums stay in memory. Entries are compared as text because they are many, and equal text is
/// what counts.
struct TranscriptManifest: Sendable {
  /// The entries by their transcripts.
  private var entries: [RunChecksum: RunChecksum] = [:]
  /// The end of each entry.
  private let recipe: String

  init(recipe: JSONRecord) throws {
    self.recipe = String(try recipe.jsonLine().dropFirst())
  }

  /// Adds a line of the manifest; a line that is cut is no entry of any file.
  mutating func add(_ line: [UInt8]) {
    guard let transcript = Self.transcript(of: line) else { return }
    entries[transcript] = RunChecksum(line)
  }

  /// Whether the last entry for the transcripts of this input is its own.
  func contains(_ input: TranscriptionInput) -> Bool {
    guard let line = entry(for: input).map({ Array($0.utf8) }),
      let transcript = Self.transcript(of: line)
    else { return false }
    return entries[transcript] == RunChecksum(line)
  }

  /// A line after which the input is not done; nil if it has never been.
  func voidEntry(for input: TranscriptionInput) -> String? {
    guard let file = input.place.jsonText else { return nil }
    let line = Self.begin + file + Self.afterFile + "replaced\":true}"
    return Self.transcript(of: Array(line.utf8)).flatMap { entries[$0] } == nil ? nil : line
  }

  /// The line for an input that has been transcribed; nil if it has no version.
  func entry(for input: TranscriptionInput) -> String? {
    guard let version = input.version, let file = input.place.jsonText else { return nil }
    return Self.begin + file + Self.afterFile + "size\":\(version.byteCount),\"modified\":"
      + "\(version.modifiedSeconds).\(version.modifiedNanoseconds.digits(9)),\(recipe)"
  }

  private static let begin = "{\"file\":\""
  /// In JSON, no string contains this.
  private static let afterFile = "\",\""

  /// The path of the transcripts in a line, without their extension.
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

/// 128 bits that stand for some bytes while the command runs.
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
  /// The path without the extension of its name and the dot before that.
  var withoutExtension: FilePath {
    FilePath(bytes: bytes.dropLast(name.bytes.count - stem.bytes.count))
  }

  /// The text as it stands in a string of JSON.
  fileprivate var jsonText: String? {
    let isPlain = bytes.allSatisfy { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    return (try? jsonLine()).map { String($0.dropFirst().dropLast()) }
  }
}

/// A checksum that is the same in every run: FNV-1a with 64 bits.
func stableChecksum(_ text: String) -> String {
  let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
  }
  return String(value, radix: 16)
}
