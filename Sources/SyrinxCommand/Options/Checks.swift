import ArgumentParser

/// Refuses a value outside its range with a sentence that names both; NaN lies outside every range.
func check<Value: Comparable>(
  _ option: String, _ value: Value?, in range: ClosedRange<Value>, _ meaning: String
) throws {
  guard let value, !range.contains(value) else { return }
  let (lowest, highest) = (range.lowerBound, range.upperBound)
  throw ValidationError(
    "\(option) \(value) is out of range; give \(meaning) from \(lowest) to \(highest).")
}
