public import CoreMetrics
import Synchronization

/// Metrics in memory, and their text for Prometheus.
///
/// Meters become gauges. Timers (in seconds) and recorders that aggregate become histograms with
/// nine buckets, from 0.05 to infinity.
public final class PrometheusMetrics: MetricsFactory {
  // The lock is held to find, add, or list series.
  private let series = Mutex<[String: [String: Series]]>([:])

  /// Creates an empty set of metrics.
  public init() {}

  /// All metrics in Prometheus's text format, sorted by name.
  public var text: String {
    series.withLock { series in
      series.sorted { $0.key < $1.key }.map { name, members in
        let sorted = members.sorted { $0.key < $1.key }
        let kind = sorted.first?.value.kind ?? .counter
        return "# TYPE \(name) \(kind)\n"
          + sorted.map { $0.value.lines(name: name, labels: $0.key) }.joined()
      }.joined()
    }
  }

  /// Makes a counter, which only grows.
  public func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler { make(.counter, label, dimensions) }

  /// Makes a counter that may have fractions.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { make(.counter, label, dimensions) }

  /// Makes a gauge, which grows and shrinks.
  public func makeMeter(
    label: String, dimensions: [(String, String)]
  ) -> any MeterHandler { make(.gauge, label, dimensions) }

  /// Makes a histogram, or a gauge of the last value if `aggregate` is false.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { make(aggregate ? .histogram : .gauge, label, dimensions) }

  /// Makes a histogram of times, in seconds.
  public func makeTimer(
    label: String, dimensions: [(String, String)]
  ) -> any TimerHandler { make(.histogram, label, dimensions) }

  /// Does nothing: Prometheus expects a metric to exist until the process ends.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing; see `destroyCounter`.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// Does nothing; see `destroyCounter`.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing; see `destroyCounter`.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing; see `destroyCounter`.
  public func destroyTimer(_ handler: any TimerHandler) {}

  /// Returns the series with this name and these labels; makes it if it does not exist.
  ///
  /// A new series has the kind of the first series with its name.
  private func make(
    _ kind: Series.Kind, _ name: String, _ dimensions: [(String, String)]
  ) -> Series {
    let name = name.asMetricName
    let values = Dictionary(dimensions.map { ($0.asMetricName, $1) }) { $1 }
    let labels = values.sorted { $0.key < $1.key }
      .map { "\($0)=\"\($1.escapedAsLabel)\"" }.joined(separator: ",")
    return series.withLock { series in
      if let known = series[name]?[labels] { return known }
      let made = Series(series[name]?.first?.value.kind ?? kind)
      series[name, default: [:]][labels] = made
      return made
    }
  }
}

/// The numbers of a metric with one set of labels.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler,
  RecorderHandler, TimerHandler
{
  enum Kind { case counter, gauge, histogram }

  /// The inclusive upper bounds of a histogram's buckets.
  private static let bounds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, .infinity]

  /// The initial state.
  ///
  /// `value` is the metric's number, or a histogram's sum. `counts` has the count of each bucket;
  /// it is not cumulative.
  private static let zero = (value: 0.0, counts: [Int](repeating: 0, count: bounds.count))

  let kind: Kind
  // The lock is held for one change or a copy.
  private let state = Mutex(Series.zero)

  init(_ kind: Kind) {
    self.kind = kind
  }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { state.withLock { $0.value += amount } }
  func decrement(by amount: Double) { state.withLock { $0.value -= amount } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.value = value } }
  func reset() { state.withLock { $0 = Self.zero } }
  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func record(_ value: Double) {
    guard kind == .histogram else { return set(value) }
    state.withLock { state in
      state.value += value
      state.counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count - 1] += 1
    }
  }

  /// Returns the lines of the series; `labels` is a comma-separated list, such as `code="busy"`, or
  /// empty.
  func lines(name: String, labels: String) -> String {
    let state = state.withLock { $0 }
    func line(_ suffix: String, _ labels: String, _ value: Double) -> String {
      "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value.asMetric)\n"
    }
    guard kind == .histogram else { return line("", labels, state.value) }
    var total = 0
    let buckets = zip(Self.bounds, state.counts).map { bound, count in
      total += count
      let label = "le=\"\(bound.asMetric)\""
      return line("_bucket", labels.isEmpty ? label : "\(labels),\(label)", Double(total))
    }
    return buckets.joined() + line("_sum", labels, state.value)
      + line("_count", labels, Double(total))
  }
}

extension Double {
  /// The number in Prometheus's format; whole numbers have no fraction.
  fileprivate var asMetric: String {
    if self == .infinity { return "+Inf" }
    return Int(exactly: self).map(String.init) ?? "\(self)"
  }
}

extension String {
  /// The name with an underscore for each character that Prometheus does not allow.
  fileprivate var asMetricName: String {
    String(
      unicodeScalars.enumerated().map { index, scalar in
        let isDigit = ("0"..."9").contains(scalar)
        let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        return isLetter || scalar == "_" || isDigit && index > 0 ? Character(scalar) : "_"
      })
  }

  fileprivate var escapedAsLabel: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
