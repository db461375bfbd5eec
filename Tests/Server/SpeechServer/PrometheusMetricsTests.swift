import CoreMetrics
import Testing
import SpeechServer

@Suite struct PrometheusMetricsTests {
  private let metrics = PrometheusMetrics()

  @Test func `counters and gauges are written with their kinds, sorted by name`() {
    let clients = Meter(label: "clients", factory: metrics)
    clients.increment(by: 3)
    clients.decrement()
    Counter(label: "bytes_total", factory: metrics).increment(by: 5)
    // A second counter with the same name counts in the same series.
    Counter(label: "bytes_total", factory: metrics).increment()
    FloatingPointCounter(label: "audio_seconds_total", factory: metrics).increment(by: 1.25)
    #expect(
      metrics.text == """
        # TYPE audio_seconds_total counter
        audio_seconds_total 1.25
        # TYPE bytes_total counter
        bytes_total 6
        # TYPE clients gauge
        clients 2

        """)
  }

  @Test func `each bucket of a histogram counts all values up to its bound`() {
    let recorder = Recorder(label: "factor", factory: metrics)
    for value in [0.05, 0.3, 0.5, 9] { recorder.record(value) }
    #expect(
      metrics.text == """
        # TYPE factor histogram
        factor_bucket{le="0.05"} 1
        factor_bucket{le="0.1"} 1
        factor_bucket{le="0.25"} 1
        factor_bucket{le="0.5"} 3
        factor_bucket{le="1"} 3
        factor_bucket{le="2"} 3
        factor_bucket{le="4"} 3
        factor_bucket{le="8"} 3
        factor_bucket{le="+Inf"} 4
        factor_sum 9.85
        factor_count 4

        """)
  }

  @Test
  func `timers become histograms in seconds, and recorders without aggregation become gauges`() {
    Timer(label: "time", factory: metrics).recordMilliseconds(1500)
    Recorder(label: "last", aggregate: false, factory: metrics).record(7)
    #expect(metrics.text.contains("time_sum 1.5\n"))
    #expect(metrics.text.contains("# TYPE last gauge\nlast 7\n"))
  }

  @Test func `the order of labels does not matter, and a repeated label keeps its last value`() {
    for dimensions in [[("b", "2"), ("a", "1")], [("a", "0"), ("b", "2"), ("a", "1")]] {
      Counter(label: "x", dimensions: dimensions, factory: metrics).increment()
    }
    #expect(metrics.text == "# TYPE x counter\nx{a=\"1\",b=\"2\"} 2\n")
  }

  @Test
  func `labels are escaped, and underscores replace characters that Prometheus forbids in names`() {
    Counter(
      label: "9 bad-names", dimensions: [("the code", "a\"b\\c\r\nd")], factory: metrics
    ).increment()
    #expect(metrics.text.hasSuffix("\n__bad_names{the_code=\"a\\\"b\\\\c\r\\nd\"} 1\n"))
  }
}
