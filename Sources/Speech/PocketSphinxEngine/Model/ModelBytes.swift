import FilePaths
import Glibc
import SpeechEngine

/// Reads the bytes of a model's file in order, and never past the end.
struct ModelBytes {
  private(set) var position = 0
  private let mapping: MappedFile

  /// Maps a whole file: copying the 27 MB of a language model takes longer than checking them.
  ///
  /// - Throws: `.modelUnreadable`; `.failed` if a system limit is the cause.
  init(path: String) throws(SpeechEngineError) {
    do throws(FilePathError) {
      mapping = try MappedFile(FilePath(path), isReadAhead: true)
    } catch {
      throw error.code == ENODEV
        ? .modelUnreadable(path: path) : .unreadable(path, code: error.code)
    }
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
