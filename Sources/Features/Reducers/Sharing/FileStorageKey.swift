public import ClientDependencies
public import Foundation

/// Keeps a shared value in a file: `@Shared(.fileStorage(url)) var memos: [Memo] = []`.
///
/// Each change is in the file before `withLock` returns. The file is replaced as a whole, so that
/// after a crash it contains the old or the new value.
public struct FileStorageKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let url: URL
  private let storage: FileStorage
  private let decode: @Sendable (Data) throws -> Value
  private let encode: @Sendable (Value) throws -> Data

  fileprivate init(
    _ url: URL, decode: @escaping @Sendable (Data) throws -> Value,
    encode: @escaping @Sendable (Value) throws -> Data
  ) {
    @Dependency(\.defaultFileStorage) var storage
    (self.url, self.storage, self.decode, self.encode) = (url, storage, decode, encode)
  }

  /// The file and the storage.
  public var id: [AnyHashableSendable] { [AnyHashableSendable(url), AnyHashableSendable(storage)] }

  /// The expression that creates the key.
  public var description: String { ".fileStorage(\(String(reflecting: url)))" }

  /// Decodes the file; nil if it does not exist or is empty.
  public func load(initialValue: Value?) throws -> Value? {
    guard let data = try storage.load(url), !data.isEmpty else { return nil }
    return try decode(data)
  }

  /// Replaces the file, and creates its directory if it does not exist.
  public func save(_ value: Value) throws { try storage.save(encode(value), url) }
}

extension SharedReaderKey {
  /// A key that keeps its value as JSON in a file.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - decoder: decodes the file; nil for a `JSONDecoder` without options.
  ///   - encoder: encodes the value; nil for a `JSONEncoder` without options.
  public static func fileStorage<Value: Codable>(
    _ url: URL, decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil
  ) -> Self where Self == FileStorageKey<Value> {
    let (decoder, encoder) = (decoder ?? JSONDecoder(), encoder ?? JSONEncoder())
    return FileStorageKey(
      url, decode: { try decoder.decode(Value.self, from: $0) },
      encode: { try encoder.encode($0) })
  }

  /// A key that keeps its value in a file of any format.
  public static func fileStorage<Value>(
    _ url: URL, decode: @escaping @Sendable (Data) throws -> Value,
    encode: @escaping @Sendable (Value) throws -> Data
  ) -> Self where Self == FileStorageKey<Value> {
    FileStorageKey(url, decode: decode, encode: encode)
  }
}

/// The storage of `.fileStorage` keys: the file system, or files in memory.
public struct FileStorage: Hashable, Sendable, DependencyKey {
  /// The file system.
  public static let fileSystem = FileStorage(files: nil)
  /// A new, empty storage in memory.
  public static var inMemory: FileStorage { inMemory(fileSystem: LockIsolated([:])) }

  /// The file system in the live context.
  public static var liveValue: FileStorage { fileSystem }
  /// A storage in memory for previews.
  public static var previewValue: FileStorage { inMemory }
  /// A storage in memory for each test.
  public static var testValue: FileStorage { inMemory }

  /// The files in memory; nil for the file system.
  private let files: LockIsolated<[URL: Data]>?

  /// Returns a storage that keeps the given files in memory.
  public static func inMemory(fileSystem files: LockIsolated<[URL: Data]>) -> FileStorage {
    FileStorage(files: files)
  }

  /// Whether both are the same storage.
  public static func == (storage: Self, other: Self) -> Bool { storage.files === other.files }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(files.map(ObjectIdentifier.init)) }

  /// Reads a file; nil if it does not exist.
  func load(_ url: URL) throws -> Data? {
    if let files { return files.value[url] }
    do {
      return try Data(contentsOf: url)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    }
  }

  /// Replaces a file.
  func save(_ data: Data, _ url: URL) throws {
    if let files { files.withValue { $0[url] = data } } else { try Self.replace(url, by: data) }
  }

  /// Writes the data to a new file, waits until the disk has it, and renames it to `url`.
  private static func replace(_ url: URL, by data: Data) throws {
    let url = url.resolvingSymlinksInPath()
    let directory = url.deletingLastPathComponent()
    let manager = FileManager.default
    try manager.createDirectory(at: directory, withIntermediateDirectories: true)
    let mode = try? manager.attributesOfItem(atPath: url.path)[.posixPermissions]
    let new = directory.appending(component: ".\(url.lastPathComponent).\(UUID().uuidString)")
    do {
      guard manager.createFile(atPath: new.path, contents: nil) else { throw lastError() }
      if let mode { try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: new.path) }
      let file = try FileHandle(forWritingTo: new)
      try file.write(contentsOf: data)
      try file.synchronize()
      try file.close()
      guard rename(new.path, url.path) == 0 else { throw lastError() }
    } catch {
      try? manager.removeItem(at: new)
      throw error
    }
    // Sync the directory as well, or the old file may be back after a crash.
    let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw lastError() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw lastError() }
  }

  private static func lastError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}

extension DependencyValues {
  /// The files of `.fileStorage`: the file system in the live context, otherwise files in memory,
  /// separate for each test.
  public var defaultFileStorage: FileStorage {
    get { self[FileStorage.self] }
    set { self[FileStorage.self] = newValue }
  }
}
