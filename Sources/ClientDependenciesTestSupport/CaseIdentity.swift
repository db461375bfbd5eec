#if !PointFreeDependencies
import Testing

/// What tells the cases of a parameterised test apart.
///
/// Swift Testing identifies each case by its encoded arguments, and cases with equal ones by a
/// discriminator, but shows neither; they are read by reflection.
enum CaseIdentity {
  private static let recent = RecentCases()

  /// - Returns: nil for the only case of a test.
  static func bytes(of testCase: Test.Case) -> [UInt8]? {
    guard testCase.isParameterized else { return nil }
    return recent.identity(of: testCase, make: bytes(reflecting:))
  }

  /// The identity in whatever is laid out like a case; the whole description where it is laid out
  /// in another way.
  static func bytes(reflecting testCase: Any) -> [UInt8] {
    let parts = child("_kind", of: testCase).flatMap {
      Mirror(reflecting: $0).children.first?.value
    }
    guard let parts, let arguments = child("arguments", of: parts),
      let discriminator = child("discriminator", of: parts) as? Int
    else { return Array(String(reflecting: testCase).utf8) }
    return Mirror(reflecting: arguments).children.reduce(into: Array("\(discriminator)".utf8)) {
      // No encoding holds this byte, so that two arguments do not run into each other.
      $0.append(0xFF)
      $0 += encoded($1.value)
    }
  }

  private static func encoded(_ argument: Any) -> [UInt8] {
    let bytes = child("id", of: argument).flatMap { child("bytes", of: $0) } as? [UInt8]
    return bytes ?? Array(String(reflecting: argument).utf8)
  }

  private static func child(_ label: String, of whole: Any) -> Any? {
    Mirror(reflecting: whole).children.first { $0.label == label }?.value
  }
}
#endif
