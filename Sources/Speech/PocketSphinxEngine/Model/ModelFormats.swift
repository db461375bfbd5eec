import FilePaths
import Glibc
import SpeechEngine

/// Reads a model's file in order, never past its end.
struct ModelBytes {
  private(set) var position = 0
  private let mapping: MappedFile

  /// Maps a whole file.
  ///
  /// Copying the 27 MB of a language model would take longer than checking them.
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

  /// All bytes of the file; the pointer is valid as long as this value exists.
  var bytes: UnsafeRawBufferPointer { mapping.bytes }

  private var left: Int { bytes.count - position }

  /// Reads the next 32-bit signed integer, in little-endian order.
  mutating func word() throws(ModelDamage) -> Int {
    try skip(4)
    // `skip` keeps the load within the bytes.
    return Int(bytes.loadUnaligned(fromByteOffset: position - 4, as: Int32.self))
  }

  /// Reads the next `count` 32-bit signed integers, in little-endian order.
  mutating func words(_ count: Int) throws(ModelDamage) -> [Int] {
    var words: [Int] = []
    for _ in 0..<count { words.append(try word()) }
    return words
  }

  mutating func byte() throws(ModelDamage) -> Int {
    try skip(1)
    return Int(bytes[position - 1])
  }

  /// Reads the text before a byte and skips that byte.
  mutating func text(upTo end: UInt8) throws(ModelDamage) -> String {
    guard let stop = bytes[position...].firstIndex(of: end) else { throw Self.short }
    defer { position = stop + 1 }
    return String(decoding: bytes[position..<stop], as: UTF8.self)
  }

  /// Skips as many bytes as the product of the factors; throws for a negative factor.
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

  /// Skips the bytes that identify a format; throws if the file has another format.
  mutating func skip(magic: String, of format: String) throws(ModelDamage) {
    try bytes.starts(with: magic.utf8).orDamage("it is not \(format)")
    try skip(magic.utf8.count)
  }

  /// Throws if unread bytes remain.
  func requireEnd() throws(ModelDamage) {
    guard left == 0 else {
      throw ModelDamage("it is \(left) bytes longer than its header says")
    }
  }

  private static let short = ModelDamage("it is shorter than its header says")
}

extension Bool {
  /// Throws `ModelDamage` with this reason if the condition is false.
  func orDamage(_ reason: @autoclosure () -> String) throws(ModelDamage) {
    guard self else { throw ModelDamage(reason()) }
  }
}

/// Checks and reads the files of an acoustic model.
extension ModelBytes {
  /// Parameters that must be present, because PocketSphinx's defaults for them do not fit the
  /// model.
  private static let requiredParameters = [
    "-lowerf", "-upperf", "-nfilt", "-transform", "-lifter", "-feat", "-svspec", "-cmn",
  ]

  /// Reads `feat.params`, the parameters of the front end, by their names with a hyphen: `-lowerf`.
  func featureParameters() throws(ModelDamage) -> [String: String] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ModelDamage("it is not text")
    }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try words.count.isMultiple(of: 2).orDamage("a parameter has no value")
    var values: [String: String] = [:]
    for index in stride(from: 0, to: words.count, by: 2) { values[words[index]] = words[index + 1] }
    for name in Self.requiredParameters where values[name] == nil {
      throw ModelDamage("\(name) is missing")
    }
    // The audio of every engine is 16 kHz, and word timestamps assume frames of 10 ms.
    for (name, value) in [("-samprate", 16_000.0), ("-frate", 100)] {
      let number = values[name].map { Double($0) ?? 0 } ?? value
      try (number == value).orDamage("\(name) is \(values[name] ?? "") and not \(Int(value))")
    }
    return values
  }

  /// Reads the phones in `mdef`, except those of silence and noise, and checks the file's size.
  func voices() throws(ModelDamage) -> [String] {
    var file = self
    try file.skip(magic: "BMDF", of: "a binary model definition")
    try (file.word() == 1).orDamage("its version is not 1")
    try file.skip(file.word())
    let header = try file.words(10)
    try header.allSatisfy { $0 >= 0 }.orDamage("the counts in its header are invalid")
    let (contextFreePhones, phones, states) = (header[0], header[1], header[2])
    let (sequences, treeNodes) = (header[6], header[8])

    let start = file.position
    var names: [String] = []
    for _ in 0..<contextFreePhones { names.append(try file.text(upTo: 0)) }
    try file.skip((start - file.position) & 3)
    try file.skip(treeNodes, 8)
    var voices: [String] = []
    for name in names {
      try file.skip(8)
      if try file.byte() == 0 { voices.append(name) }
      try file.skip(3)
    }
    try file.skip(phones - contextFreePhones, 12)
    try file.skip(4)
    try file.skip(sequences, states, 2)
    try file.requireEnd()
    return voices
  }

  /// Checks a file in Sphinx-3 format: `means`, `variances`, `transition_matrices`.
  ///
  /// - Parameter hasStreams: whether the second of the header's three counts is a number of
  ///   streams; if so, a width for each stream follows the counts.
  func checkParameters(hasStreams: Bool) throws(ModelDamage) {
    var file = self
    try file.skip(magic: "s3\n", of: "a Sphinx parameter file")
    var hasChecksum = false
    while true {
      let fields = try file.text(upTo: UInt8(ascii: "\n")).split(separator: " ")
      if fields.first == "endhdr" { break }
      if fields.first == "chksum0" { hasChecksum = fields.last == "yes" }
    }
    try (file.word() == 0x1122_3344).orDamage("its byte order is not little-endian")
    let shape = try file.words(3)
    if hasStreams { try file.skip(shape[1], 4) }
    try file.skip(file.word(), 4)
    if hasChecksum { try file.skip(4) }
    try file.requireEnd()
  }

  /// Checks the model's `sendump`: the weight of each density in each state.
  func checkSenones() throws(ModelDamage) {
    var file = self
    var streamCount = 1
    // The file begins with texts, each preceded by its length; the last text is empty.
    while true {
      let length = try file.word()
      if length == 0 { break }
      let start = file.position
      try file.skip(length)
      let text = String(decoding: file.bytes[start..<file.position].dropLast(), as: UTF8.self)
      let fields = text.split(separator: " ")
      if fields.first == "feature_count", let count = fields.last.flatMap({ Int($0) }) {
        streamCount = count
      }
      let isClustered = fields.first == "cluster_count" && fields.last != "0"
      try (!isClustered).orDamage("it is clustered, which this engine does not read")
    }
    let counts = try file.words(2)
    try file.skip(streamCount, counts[0], counts[1])
    try file.requireEnd()
  }
}

/// Checks and reads a language model and a dictionary.
extension ModelBytes {
  private static let quantizedBits = 16

  /// Reads the words of a language model in PocketSphinx's binary trie format, and checks the
  /// file's size.
  func vocabulary() throws(ModelDamage) -> Vocabulary {
    var file = self
    try file.skip(magic: "Trie Language Model", of: "a binary trie language model")
    let order = try file.byte()
    try (2...5).contains(order).orDamage("its order is \(order)")
    let counts = try file.words(order)
    try counts.allSatisfy { $0 > 0 }.orDamage("the counts in its header are invalid")
    try (file.word() == 1).orDamage("its values are not quantized")
    try file.skip(((order - 2) * 2 + 1) << Self.quantizedBits * 4)
    // After the entries of the words, one more entry marks the end of the last word's successors.
    try file.skip(counts[0] + 1, 12)
    for index in 1..<order {
      // An entry consists of a word, its values, and, except in the highest order, its successors.
      let isLast = index == order - 1
      let width =
        counts[0].bitLength + Self.quantizedBits * (isLast ? 1 : 2)
        + (isLast ? 0 : counts[index + 1].bitLength)
      try file.skip(((1 + counts[index]) * width + 7) / 8 + 8)
    }
    let length = try file.word()
    let start = file.position
    try file.skip(length)
    try file.requireEnd()

    var vocabulary = Vocabulary()
    vocabulary.reserveCapacity(counts[0])
    var word = WordHash()
    for byte in UnsafeRawBufferPointer(rebasing: bytes[start...]) {
      if byte != 0 {
        word.add(byte)
      } else {
        vocabulary.insert(word)
        word = WordHash()
      }
    }
    return vocabulary
  }

  /// Checks that a dictionary is not empty and does not end within a line.
  func checkDictionary() throws(ModelDamage) {
    try (!bytes.isEmpty).orDamage("it is empty")
    try (bytes.last == UInt8(ascii: "\n")).orDamage("its last line is cut off")
  }

  /// Returns the lines of a dictionary whose words are in a language model's vocabulary, with every
  /// pronunciation.
  ///
  /// A line consists of a word and its phones. Dictation finds no other words, and loading only
  /// these words saves a fifth of the startup time.
  func excerpt(within vocabulary: Vocabulary) -> [UInt8] {
    var excerpt: [UInt8] = []
    excerpt.reserveCapacity(bytes.count)
    let newline = CInt(UInt8(ascii: "\n"))
    var rest = bytes
    while let start = rest.baseAddress, let end = memchr(start, newline, rest.count) {
      let length = UnsafeRawPointer(end) - start + 1
      let line = UnsafeRawBufferPointer(rebasing: rest[..<length])
      if vocabulary.contains(Self.word(of: line)) { excerpt += line }
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
    return excerpt
  }

  /// Returns the hash of a line's word as the language model spells it: `close` for the
  /// pronunciation `close(2)`.
  private static func word(of line: UnsafeRawBufferPointer) -> WordHash {
    var hash = WordHash()
    var beforeBracket: WordHash?
    var last: UInt8?
    for byte in line {
      guard byte > UInt8(ascii: " ") else {
        if last == nil { continue }
        break
      }
      if byte == UInt8(ascii: "("), last != nil { beforeBracket = hash }
      hash.add(byte)
      last = byte
    }
    return last == UInt8(ascii: ")") ? beforeBracket ?? hash : hash
  }
}

extension Int {
  fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}

extension String {
  /// The spelling of a dictionary entry without its pronunciation number.
  ///
  /// Nil for silence and noise (`<sil>`, `[NOISE]`, `++breath++`), and for `(NULL)`, the empty word
  /// around a grammar's repetitions.
  var dictionarySpelling: String? {
    // PocketSphinx reports a key phrase with a trailing space in place of its threshold.
    let entry = hasSuffix(" ") ? String(dropLast()) : self
    guard let first = entry.first, !"<[+".contains(first), entry != "(NULL)" else { return nil }
    guard entry.hasSuffix(")"), let open = entry.lastIndex(of: "("), open != entry.startIndex
    else { return entry }
    return String(entry[..<open])
  }
}

/// The words of a language model.
typealias Vocabulary = Set<WordHash>

/// A hash of a word, computed byte by byte (FNV-1a).
///
/// Two words can have the same hash, but with 64 bits, this is very unlikely.
struct WordHash: Hashable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(of word: some Sequence<UInt8> = EmptyCollection()) {
    for byte in word { add(byte) }
  }

  mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
