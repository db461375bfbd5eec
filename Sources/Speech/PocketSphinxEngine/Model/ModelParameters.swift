import SpeechEngine

/// A parameter file in Sphinx-3 format (`means`, `variances`, `transition_matrices`) with a correct
/// checksum.
struct ModelParameters: Equatable {
  /// The counts before the values.
  let shape: [Int]

  /// - Parameter hasStreams: whether the second of the three counts is a number of streams, whose
  ///   widths follow.
  init(_ file: ModelBytes, hasStreams: Bool) throws(ModelDamage) {
    var file = file
    let hasChecksum = try Self.readHeader(&file)
    try (file.word() == 0x1122_3344).orDamage("its byte order is not little-endian")
    let start = file.position

    var shape: [Int] = []
    for _ in 0..<3 { shape.append(try file.word()) }
    try shape.allSatisfy((1...1_000_000).contains).orDamage(
      "the counts in its header are invalid")
    if hasStreams {
      try (shape[1] <= 16).orDamage("it has \(shape[1]) streams")
      for _ in 0..<shape[1] { shape.append(try file.word()) }
    }
    self.shape = shape
    let count = try file.word()
    try (count == Self.valueCount(shape, hasStreams: hasStreams)).orDamage(
      "its \(count) values do not fit its shape")
    try file.skip(count * 4)
    if hasChecksum { try Self.check(&file, from: start) }
    try file.requireEnd()
  }

  private static func valueCount(_ shape: [Int], hasStreams: Bool) -> Int? {
    let factors = hasStreams ? [shape[0], shape[2], shape[3...].reduce(0, &+)] : shape
    var product = 1
    for factor in factors {
      let (next, overflow) = product.multipliedReportingOverflow(by: factor)
      guard !overflow else { return nil }
      product = next
    }
    return product
  }

  /// Reads the text header.
  ///
  /// Returns whether the file has a checksum.
  private static func readHeader(_ file: inout ModelBytes) throws(ModelDamage) -> Bool {
    let newline = UInt8(ascii: "\n")
    try (file.bytes.starts(with: Array("s3\n".utf8))).orDamage("it is not a Sphinx parameter file")
    var hasChecksum = false
    while true {
      let fields = try file.text(upTo: newline).split(separator: " ")
      if fields.first == "endhdr" { return hasChecksum }
      if fields.first == "chksum0" { hasChecksum = fields.last == "yes" }
    }
  }

  private static func check(_ file: inout ModelBytes, from start: Int) throws(ModelDamage) {
    let end = file.position
    let expected = UInt32(bitPattern: Int32(truncatingIfNeeded: try file.word()))
    var sum: UInt32 = 0
    // Start and end are within the bytes, because everything between them has been read.
    let bytes = file.bytes
    for offset in stride(from: start, to: end, by: 4) {
      sum = (sum << 20 | sum >> 12) &+ bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }
    try (sum == expected).orDamage("its checksum is wrong")
  }
}

/// The model's `sendump`: the weight of each density in each state.
struct SenoneDump: Equatable {
  let streamCount: Int
  let densityCount: Int
  let senoneCount: Int

  init(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    let header = try Self.readHeader(&file)
    try (header["cluster_count"] == nil || header["cluster_count"] == 0).orDamage(
      "it is clustered, which this engine does not read")
    try (header["cluster_bits"] == nil || header["cluster_bits"] == 8).orDamage(
      "its values do not have 8 bits")
    streamCount = header["feature_count"] ?? 1
    densityCount = try file.word()
    senoneCount = try file.word()
    let isPlausible =
      (1...16).contains(streamCount) && (1...4096).contains(densityCount)
      && (1...65_535).contains(senoneCount)
    try isPlausible.orDamage("the counts in its header are invalid")
    try file.skip(streamCount * densityCount * senoneCount)
    try file.requireEnd()
  }

  /// Reads the header's length-prefixed texts, and keeps those of a name and a number.
  private static func readHeader(_ file: inout ModelBytes) throws(ModelDamage) -> [String:
    Int]
  {
    var values: [String: Int] = [:]
    while true {
      let length = try file.word()
      if length == 0 { return values }
      let start = file.position
      try file.skip(length)
      let text = String(decoding: file.bytes[start..<file.position].dropLast(), as: UTF8.self)
      let fields = text.split(separator: " ")
      if fields.count == 2, let number = Int(fields[1]) { values[String(fields[0])] = number }
    }
  }
}
