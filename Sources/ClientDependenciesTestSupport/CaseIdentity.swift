import Testing

/// What tells the cases of a parameterised test apart.
///
/// Swift Testing identifies each case by its encoded arguments, and cases with equal ones by a
/// discriminator, but shows neither; they are read by reflection.
enum CaseIdentity {
  /// - Returns: nil for the only case of a test.
  static func bytes(of testCase: Test.Case) -> [UInt8]? {
    testCase.isParameterized ? bytes(reflecting: testCase) : nil
  }

  /// The identity in whatever is laid out like a case; the whole description where it is laid out
  /// in another way.
  static func bytes(reflecting testCase: Any) -> [UInt8] {
    var bytes: [UInt8] = []
    collect(Mirror(reflecting: testCase), depth: 0, into: &bytes)
    return bytes.isEmpty ? Array(String(reflecting: testCase).utf8) : bytes
  }

  private static let deepest = 8

  private static func collect(_ mirror: Mirror, depth: Int, into bytes: inout [UInt8]) {
    guard depth < deepest else { return }
    for child in mirror.children {
      switch (child.label, child.value) {
      case ("bytes", let encoded as [UInt8]):
        bytes += encoded
        // No encoding holds this byte, so that two arguments do not run into each other.
        bytes.append(0xFF)
      case ("discriminator", let number as Int):
        bytes += Array("\(number)".utf8)
      // An argument itself can be anything, and large.
      case ("value", _), ("parameter", _), ("body", _): continue
      default: collect(Mirror(reflecting: child.value), depth: depth + 1, into: &bytes)
      }
    }
  }
}
