#if !PointFreeDependencies
/// A source location, for issues.
struct SourceLocation: Sendable {
  var fileID: StaticString
  var filePath: StaticString
  var line: UInt
  var column: UInt
}
#endif
