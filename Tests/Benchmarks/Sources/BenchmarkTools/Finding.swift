import Foundation

/// One row of the table: a measured value, and its bound if it has one.
package struct Finding: Sendable {
  package var name: String
  package var value: Double
  package var unit: String
  package var bound: Double?
  /// Whether the value must be less than the bound; otherwise it may also equal the bound.
  package var isBelow = false
  package var remark = ""

  package init(
    name: String, value: Double, unit: String, bound: Double? = nil, isBelow: Bool = false,
    remark: String = ""
  ) {
    (self.name, self.value, self.unit) = (name, value, unit)
    (self.bound, self.isBelow, self.remark) = (bound, isBelow, remark)
  }

  package var isMissed: Bool {
    guard let bound else { return false }
    return isBelow ? value >= bound : value > bound
  }

  package static let heading = row("what", "value", "bound", "")

  package var text: String {
    let limit = bound.map { (isBelow ? "< " : "≤ ") + Self.decimal($0) } ?? ""
    let remarks = [isMissed ? "MISSED" : "", remark].filter { !$0.isEmpty }
    return Self.row(
      name, "\(Self.decimal(value)) \(unit)", limit, remarks.joined(separator: ", "))
  }

  private static func decimal(_ number: Double) -> String {
    String(format: abs(number) < 10 ? "%.3f" : "%.1f", number)
  }

  private static func row(
    _ name: String, _ value: String, _ bound: String, _ remark: String
  ) -> String {
    let cells = [
      name.padded(to: 58), value.aligned(to: 14), bound.aligned(to: 10), "  " + remark,
    ]
    return cells.joined()
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  fileprivate func aligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

extension [Duration] {
  /// The duration that 99 of 100 durations do not exceed.
  package var percentile99: Duration { percentile(0.99) }

  package var median: Duration { percentile(0.5) }

  /// Returns a percentile; `part` is 0.99 for the 99th percentile.
  package func percentile(_ part: Double) -> Duration {
    precondition(!isEmpty, "a percentile needs at least one value")
    return sorted()[Swift.min(count - 1, Int((Double(count) * part).rounded(.up)) - 1)]
  }
}
