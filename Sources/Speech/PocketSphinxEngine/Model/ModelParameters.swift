import SpeechEngine

/// Checks of the parameters of an acoustic model.
enum ModelParameters {
  /// Checks a file in Sphinx-3 format: `means`, `variances`, `transition_matrices`.
  ///
  /// - Parameter hasStreams: whether the second of the three counts is a number of streams, whose
  ///   widths follow.
  static func check(_ file: ModelBytes, hasStreams: Bool) throws(ModelDamage) {
    var file = file
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
  static func checkSenones(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    var streamCount = 1
    // Texts with their lengths come first, up to an empty one.
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
