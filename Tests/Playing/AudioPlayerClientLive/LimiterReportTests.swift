import Testing

@testable import AudioPlayerClientLive

@Suite struct LimiterReportTests {
  @Test func `without limiting nothing is reported`() {
    var report = LimiterReport(interval: 1_000)
    report.note(1, at: 0)
    #expect(report.due(at: 5_000, isEnding: true) == nil)
  }

  @Test func `the lowest gain is reported once a second`() {
    var report = LimiterReport(interval: 1_000)
    report.note(0.5, at: 300)
    report.note(0.25, at: 600)
    report.note(0.75, at: 900)
    #expect(report.due(at: 1_299, isEnding: false) == nil)
    #expect(report.due(at: 1_300, isEnding: false) == 0.25)
    report.markReported()
    #expect(report.due(at: 9_000, isEnding: false) == nil)
    report.note(0.9, at: 9_000)
    #expect(report.due(at: 9_999, isEnding: false) == nil)
    #expect(report.due(at: 10_000, isEnding: false) == 0.9)
  }

  @Test func `a pending gain is reported before a sound ends`() {
    var report = LimiterReport(interval: 1_000)
    report.note(0.5, at: 300)
    #expect(report.due(at: 300, isEnding: true) == 0.5)
  }

  @Test func `a gain that could not be reported is kept`() {
    var report = LimiterReport(interval: 1_000)
    report.note(0.5, at: 0)
    #expect(report.due(at: 1_000, isEnding: false) == 0.5)
    report.note(0.25, at: 1_000)
    #expect(report.due(at: 2_000, isEnding: false) == 0.25)
  }
}
