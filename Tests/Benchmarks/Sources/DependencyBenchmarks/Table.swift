/// The measurements as text: the time of each, its ratio to the reference, and the maximum ratio.
struct Table {
  var measurements: [Measurement]

  private struct Row {
    var measurement: Measurement
    var multiple: Double

    var isOver: Bool { multiple > measurement.benchmark.limit ?? .infinity }

    var text: String {
      let limit = measurement.benchmark.limit
      let remark = limit.map { "≤ \(Self.decimal($0)) ×\(isOver ? "  OVER" : "")" } ?? ""
      let cells = [
        measurement.benchmark.name.padded(to: 50),
        Self.decimal(measurement.nanoseconds).aligned(to: 9),
        (Self.decimal(multiple) + " ×").aligned(to: 9),
      ]
      return cells.joined() + "   " + remark
    }

    private static func decimal(_ number: Double) -> String {
      let tenths = Int((number * 10).rounded())
      return "\(tenths / 10).\(tenths % 10)"
    }
  }

  /// The rows of the table; the first measurement with a given reference is itself the reference.
  private var rows: [Row] {
    measurements.map { measurement in
      let reference = measurements.first {
        $0.benchmark.reference == measurement.benchmark.reference
      }
      let unit = reference?.nanoseconds ?? 1
      return Row(measurement: measurement, multiple: measurement.nanoseconds / unit)
    }
  }

  /// The operations that exceed their limits.
  var overLimit: [String] { rows.filter(\.isOver).map(\.measurement.benchmark.name) }

  var text: String {
    let heading = "operation".padded(to: 50) + "ns".aligned(to: 9) + "multiple".aligned(to: 9)
    return ([heading + "   limit"] + rows.map(\.text)).joined(separator: "\n")
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
