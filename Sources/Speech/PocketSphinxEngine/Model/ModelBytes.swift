import FilePaths
import Glibc
import SpeechEngine

/// Reads the bytes of a model's file in order, and never past the end.
struct ModelBytes {
  private(set) var position = 0
  private let mapping: FileMapping

  /// Maps a whole file.
  init(path: String) throws(SpeechEngineError) {
    mapping = try FileMapping(path: path)
  }

  /// All bytes, valid as long as this value.
  var bytes: UnsafeRawBufferPointer { mapping.bytes }

  private var left: Int { bytes.count - position }

  /// The next little-endian 32-bit signed integer.
  mutating func word() throws(ModelDamage) -> Int {
    try skip(4)
    // `skip` keeps the load within the bytes.
    return Int(bytes.loadUnaligned(fromByteOffset: position - 4, as: Int32.self))
  }

  /// The next little-endian 32-bit signed integers.
  mutating func words(_ count: Int) throws(ModelDamage) -> [Int] {
    var words: [Int] = []
    for _ in 0..<count { words.append(try word()) }
    return words
  }

  mutating func byte() throws(ModelDamage) -> Int {
    try skip(1)
    return Int(bytes[position - 1])
  }

  /// The text before a byte, which is skipped.
  mutating func text(upTo end: UInt8) throws(ModelDamage) -> String {
    guard let stop = bytes[position...].firstIndex(of: end) else { throw Self.short }
    defer { position = stop + 1 }
    return String(decoding: bytes[position..<stop], as: UTF8.self)
  }

  /// Skips bytes, whose number is the product of the factors; throws for a negative factor.
  mutating func skip(_ factors: Int...) throws(ModelDamage) {
    var count = 1
    for factor in factors {
      let (product, overflow) = count.multipliedReportingOverflow(by: factor)
      guard factor >= 0, !overflow else { throw Self.short }
      count = product
    }
    guard count <= left else { throw Self.short }
    position += count
  }

  /// Skips the bytes that identify a format, or throws that the file is not of that format.
  mutating func skip(magic: String, of format: String) throws(ModelDamage) {
    try bytes.starts(with: magic.utf8).orDamage("it is not \(format)")
    try skip(magic.utf8.count)
  }

  /// Throws if bytes remain.
  func requireEnd() throws(ModelDamage) {
    guard left == 0 else {
      throw ModelDamage("it is \(left) bytes longer than its header says")
    }
  }

  private static let short = ModelDamage("it is shorter than its header says")
}

extension Bool {
  /// Throws the reason if this is false.
  func orDamage(_ reason: @autoclosure () -> String) throws(ModelDamage) {
    guard self else { throw ModelDamage(reason()) }
  }
}

/// A memory-mapped file: copying the 27 MB of a language model takes longer than checking them.
///
/// `@unchecked Sendable` is right because nothing writes through its pointer. Truncating a mapped
/// file ends the process, but PocketSphinx maps the same files as long as they are loaded.
private final class FileMapping: @unchecked Sendable {
  // Read-only, and unmapped in deinit: users of the pointer retain this object.
  let bytes: UnsafeRawBufferPointer

  /// Maps a whole file.
  ///
  /// - Throws: `.modelUnreadable`; `.failed` if a system limit is the cause.
  init(path: String) throws(SpeechEngineError) {
    let descriptor = FilePath(path).withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .unreadable(path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .modelUnreadable(path: path)
    }
    let size = Int(status.st_size)
    guard size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    let start = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0)
    guard let start, start != MAP_FAILED else { throw .unreadable(path, code: errno) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit {
    if let start = bytes.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }
}
