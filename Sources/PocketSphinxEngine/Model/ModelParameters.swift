/// A file of numbers in Sphinx-3 format (`means`, `variances`, `transition_matrices`): its shape,
/// and whether its checksum is right.
struct ModelParameters: Equatable {
  /// The numbers that come before the values: how many of what there are.
  let shape: [Int]

  /// - Parameter dimensions: how many counts the kind of file begins with; where `hasStreams`, the
  ///   width of each stream follows, and the second count tells how many there are.
  init(_ file: ModelBytes, dimensions: Int, hasStreams: Bool) throws(SphinxModelDamage) {
    var file = file
    let hasChecksum = try Self.readHeader(&file)
    try (file.word() == 0x1122_3344).orDamage("its byte order is not little-endian")
    let start = file.position

    var shape: [Int] = []
    for _ in 0..<dimensions { shape.append(try file.word()) }
    try shape.allSatisfy((1...1_000_000).contains).orDamage(
      "the counts in its header make no sense")
    if hasStreams {
      try (shape[1] <= 16).orDamage("it has \(shape[1]) streams")
      for _ in 0..<shape[1] { shape.append(try file.word()) }
    }
    self.shape = shape
    let count = try file.word()
    try (count == Self.valueCount(shape, hasStreams: hasStreams)).orDamage(
      "it holds \(count) values, which does not fit its shape")
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

  /// Reads the lines of text at the beginning; whether they promise a checksum.
  private static func readHeader(_ file: inout ModelBytes) throws(SphinxModelDamage) -> Bool {
    let newline = UInt8(ascii: "\n")
    try (file.bytes.starts(with: Array("s3\n".utf8))).orDamage("it is no file of Sphinx parameters")
    var hasChecksum = false
    while true {
      let fields = try file.text(upTo: newline).split(separator: " ")
      if fields.first == "endhdr" { return hasChecksum }
      if fields.first == "chksum0" { hasChecksum = fields.last == "yes" }
    }
  }

  private static func check(_ file: inout ModelBytes, from start: Int) throws(SphinxModelDamage) {
    let end = file.position
    let expected = UInt32(bitPattern: Int32(truncatingIfNeeded: try file.word()))
    var sum: UInt32 = 0
    // Start and end lie within the bytes, because everything between them has been read.
    let bytes = file.bytes
    for offset in stride(from: start, to: end, by: 4) {
      sum = (sum << 20 | sum >> 12) &+ bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }
    try (sum == expected).orDamage("its checksum is wrong")
  }
}
