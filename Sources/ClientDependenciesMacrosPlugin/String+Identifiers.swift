#if !PointFreeDependencies
extension String {
  var withoutBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }

  /// Whether it can be a name without backticks, keywords aside.
  var isIdentifier: Bool {
    guard let first, first == "_" || first.isLetter else { return false }
    return dropFirst().allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }

  var capitalisingFirst: String {
    prefix(1).uppercased() + dropFirst()
  }
}
#endif
