extension Array {
  /// Appends an element in the place of all for which `isReplaceable` holds.
  package mutating func append(_ element: Element, inPlaceOf isReplaceable: (Element) -> Bool) {
    removeAll(where: isReplaceable)
    append(element)
  }

  /// Appends one element in the place of all of its kind: it tells the sum of their durations.
  ///
  /// - Parameters:
  ///   - duration: what is to be added to theirs.
  ///   - durationOf: what an element of that kind tells, nil for any other.
  ///   - element: makes one of that kind.
  package mutating func append(
    adding duration: Duration, to durationOf: (Element) -> Duration?,
    as element: (Duration) -> Element
  ) {
    let earlier = compactMap(durationOf).reduce(.zero, +)
    append(element(earlier + duration), inPlaceOf: { durationOf($0) != nil })
  }
}
