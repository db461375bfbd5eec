import Dispatch
import Testing

@testable import ClientDependencies

@Suite struct SiteTests {
  private func site(line: UInt, column: UInt = 1) -> Site {
    Site(fileID: #fileID, filePath: #filePath, line: line, column: column)
  }

  /// The address of the place.
  private func bits(_ site: Site) -> UInt { unsafeBitCast(site, to: UInt.self) }

  @Test func `a site has its own location, however many share its bucket`() {
    let sites = (0..<5_000).map { site(line: UInt($0), column: 7) }
    for (line, site) in sites.enumerated() {
      #expect(site.location.line == UInt(line))
      #expect(site.location.column == 7)
      #expect("\(site.location.fileID)" == #fileID)
    }
  }

  @Test func `places that differ only in their column are two`() {
    #expect(site(line: 1, column: 2).location.column == 2)
    #expect(site(line: 1, column: 33).location.column == 33)
  }

  @Test func `a place that is known is found again`() {
    let first = site(line: 100_000)
    for _ in 0..<100 { #expect(bits(site(line: 100_000)) == bits(first)) }
    #expect(bits(site(line: 100_001)) != bits(first))
  }

  @Test func `threads that come at once all find their places`() {
    let lines = LockIsolated<[UInt]>([])
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      let found = site(line: 200_000 + UInt(number % 8)).location.line
      lines.withValue { $0.append(found) }
    }
    #expect(Set(lines.value) == Set(200_000..<200_008))
    #expect(lines.value.count == 64)
  }
}
