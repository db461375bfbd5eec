/// The model's `sendump`: how much each density counts in each state.
struct SenoneDump: Equatable {
  let streamCount: Int
  let densityCount: Int
  let senoneCount: Int

  init(_ file: ModelBytes) throws(SphinxModelDamage) {
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
    try isPlausible.orDamage("the counts in its header make no sense")
    try file.skip(streamCount * densityCount * senoneCount)
    try file.requireEnd()
  }

  /// Reads the texts at the beginning, each after its length; those that are a name and a number
  /// are kept.
  private static func readHeader(_ file: inout ModelBytes) throws(SphinxModelDamage) -> [String:
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
