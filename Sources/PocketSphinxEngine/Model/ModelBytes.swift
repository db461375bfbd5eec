import SpeechEngine

/// What is wrong with a file of a model.
struct SphinxModelDamage: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// The bytes of a model's file, read in order and never past their end.
struct ModelBytes {
  private(set) var position = 0
  private let mapping: FileMapping

  /// Maps a whole file, which has to be there.
  init(path: String) throws(SpeechEngineError) {
    mapping = try FileMapping(path: path)
  }

  /// All of the bytes, which are there as long as this value.
  var bytes: UnsafeRawBufferPointer { mapping.bytes }

  /// How many bytes have not been read.
  var left: Int { bytes.count - position }

  /// The next little-endian number of 32 bits.
  mutating func word() throws(SphinxModelDamage) -> Int {
    Int(Int32(bitPattern: try take(4) { $0.loadUnaligned(fromByteOffset: $1, as: UInt32.self) }))
  }

  /// The next little-endian number of 16 bits, without a sign.
  mutating func halfWord() throws(SphinxModelDamage) -> Int {
    Int(try take(2) { $0.loadUnaligned(fromByteOffset: $1, as: UInt16.self) })
  }

  mutating func byte() throws(SphinxModelDamage) -> Int {
    Int(try take(1) { $0[$1] })
  }

  /// The text up to a byte, which is read but does not belong to it.
  mutating func text(upTo end: UInt8) throws(SphinxModelDamage) -> String {
    guard let stop = bytes[position...].firstIndex(of: end) else { throw Self.short }
    defer { position = stop + 1 }
    return String(decoding: bytes[position..<stop], as: UTF8.self)
  }

  mutating func skip(_ count: Int) throws(SphinxModelDamage) {
    guard count >= 0, count <= left else { throw Self.short }
    position += count
  }

  /// Everything has been read: nothing may be left.
  func requireEnd() throws(SphinxModelDamage) {
    guard left == 0 else {
      throw SphinxModelDamage("it is \(left) bytes longer than its header says")
    }
  }

  private mutating func take<Value>(
    _ count: Int, _ load: (UnsafeRawBufferPointer, Int) -> Value
  ) throws(SphinxModelDamage) -> Value {
    guard count <= left else { throw Self.short }
    defer { position += count }
    // The guard above keeps the load within the bytes.
    return load(bytes, position)
  }

  private static let short = SphinxModelDamage("it is shorter than its header says")
}

extension Bool {
  /// Throws the reason where this is false.
  func orDamage(_ reason: @autoclosure () -> String) throws(SphinxModelDamage) {
    guard self else { throw SphinxModelDamage(reason()) }
  }
}
