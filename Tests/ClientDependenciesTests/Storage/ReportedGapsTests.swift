import Testing

@testable import ClientDependencies

@Suite struct ReportedGapsTests {
  @Test func `a missing value is new once for each gap, key and place`() {
    var gaps = ReportedGaps()
    let first = MissingValue(gap: .liveValue, key: LiveOnlyKey.self, location: place(line: 1))
    var missing = [first, first, first, first]
    missing[1].location = place(line: 2)
    missing[2].key = NumberKey.self
    missing[3].gap = .testValue
    let areNew = (missing + missing).map { gaps.insert($0) }
    #expect(areNew == [true, true, true, true, false, false, false, false])
  }

  @Test func `a missing value whose place is not known is new once`() {
    var gaps = ReportedGaps()
    let missing = MissingValue(gap: .liveValue, key: LiveOnlyKey.self)
    let isNew = [gaps.insert(missing), gaps.insert(missing)]
    #expect(isNew == [true, false])
  }

  @Test func `in a test a missing value is to be reported at each read`() {
    let missing = MissingValue(gap: .liveValue, key: LiveOnlyKey.self, location: place(line: 1))
    #expect(ReportedGaps.isNew(missing))
    #expect(ReportedGaps.isNew(missing))
  }

  private func place(line: UInt) -> ClientDependencies.SourceLocation {
    ClientDependencies.SourceLocation(
      fileID: "A/B.swift", filePath: "B.swift", line: line, column: 3)
  }
}
