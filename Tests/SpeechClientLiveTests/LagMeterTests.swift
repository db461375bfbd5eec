import Testing

@testable import SpeechClientLive

@Suite struct LagMeterTests {
  private func told(_ seconds: [Double]) -> [Double?] {
    var meter = LagMeter()
    return seconds.map { meter.add(.seconds($0)).map { $0 / .seconds(1) } }
  }

  @Test func `a lag is reported from one second on, at each further second, and at its end`() {
    #expect(told([0, 0.9, 1, 1.5, 2, 2.5, 3.5]) == [nil, nil, 1, nil, 2, nil, 3.5])
    #expect(told([3, 2.5, 2, 0.6, 0.4, 0.4]) == [3, nil, 2, 0.6, 0, nil])
  }

  @Test func `a lag that hovers around one second is reported once`() {
    #expect(told([1.1, 0.9, 1.1, 0.9]) == [1.1, nil, nil, nil])
  }
}
