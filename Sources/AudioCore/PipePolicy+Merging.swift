extension Array {
  /// Appends an element in the place of all for which `isReplaceable` holds.
  package mutating func append(_ element: Element, inPlaceOf isReplaceable: (Element) -> Bool) {
    removeAll(where: isReplaceable)
    append(element)
  }

  /// Appends an element, and takes out the oldest of its kind where there are more than `count`.
  package mutating func append(
    _ element: Element, toNewest count: Int, where isOfItsKind: (Element) -> Bool
  ) {
    append(element)
    guard self.count > count, self.count(where: isOfItsKind) > count,
      let oldest = firstIndex(where: isOfItsKind)
    else { return }
    remove(at: oldest)
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
