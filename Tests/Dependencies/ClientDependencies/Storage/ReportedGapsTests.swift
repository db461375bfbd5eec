import Testing

@testable import ClientDependencies

@Suite struct ReportedGapsTests {
  @Test func `a missing value is reported once for each kind, key, and location`() {
    var gaps = ReportedMissingValues()
    let first = MissingValue(gap: .liveValue, key: LiveOnlyKey.self, location: place(line: 1))
    var missing = [first, first, first, first]
    missing[1].location = place(line: 2)
    missing[2].key = NumberKey.self
    missing[3].gap = .testValue
    let areNew = (missing + missing).map { gaps.insert($0) }
    #expect(areNew == [true, true, true, true, false, false, false, false])
  }

  @Test func `a missing value without a location is reported once`() {
    var gaps = ReportedMissingValues()
    let missing = MissingValue(gap: .liveValue, key: LiveOnlyKey.self)
    let isNew = [gaps.insert(missing), gaps.insert(missing)]
    #expect(isNew == [true, false])
  }

  @Test func `a missing value is reported at each read in a test`() {
    let missing = MissingValue(gap: .liveValue, key: LiveOnlyKey.self, location: place(line: 1))
    #expect(ReportedMissingValues.isNew(missing))
    #expect(ReportedMissingValues.isNew(missing))
  }

  private func place(line: UInt) -> ClientDependencies.SourceLocation {
    ClientDependencies.SourceLocation(
      fileID: "A/B.swift", filePath: "B.swift", line: line, column: 3)
  }
}
