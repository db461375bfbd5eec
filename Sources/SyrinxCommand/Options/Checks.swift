import ArgumentParser
package import FilePaths

/// Refuses a value outside its range with a sentence that names both; NaN lies outside every range.
func check<Value: Comparable>(
  _ option: String, _ value: Value?, in range: ClosedRange<Value>, _ meaning: String
) throws {
  guard let value, !range.contains(value) else { return }
  let (lowest, highest) = (range.lowerBound, range.upperBound)
  throw ValidationError(
    "\(option) \(value) is out of range; give \(meaning) from \(lowest) to \(highest).")
}

/// A file's name as an argument: any but an empty one.
extension FilePath: ExpressibleByArgument {
  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(argument)
  }

  /// What the help says about names in JSON.
  static let jsonHelp = "bytes that are not UTF-8 become U+EF00 + byte"
}
