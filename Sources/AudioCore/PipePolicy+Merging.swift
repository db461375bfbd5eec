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

  /// Appends one element in the place of all of its kind: it tells the sum of their amounts.
  ///
  /// - Parameters:
  ///   - amount: what is to be added to theirs.
  ///   - amountOf: what an element of that kind tells, nil for any other.
  ///   - element: makes one of that kind.
  package mutating func append<Amount: AdditiveArithmetic>(
    adding amount: Amount, to amountOf: (Element) -> Amount?, as element: (Amount) -> Element
  ) {
    let earlier = compactMap(amountOf).reduce(.zero, +)
    append(element(earlier + amount), inPlaceOf: { amountOf($0) != nil })
  }
}
