import Dispatch
import Testing

@testable import ClientDependencies

@Suite struct SiteTests {
  private func site(line: UInt, column: UInt = 1) -> DeclarationSite {
    DeclarationSite(fileID: #fileID, filePath: #filePath, line: line, column: column)
  }

  /// The address of the place.
  private func bits(_ site: DeclarationSite) -> UInt { unsafeBitCast(site, to: UInt.self) }

  @Test func `every declaration site has its own location`() {
    let sites = (0..<5_000).map { site(line: UInt($0), column: 7) }
    for (line, site) in sites.enumerated() {
      #expect(site.location.line == UInt(line))
      #expect(site.location.column == 7)
      #expect("\(site.location.fileID)" == #fileID)
    }
  }

  @Test func `locations that differ only in their column are distinct`() {
    #expect(site(line: 1, column: 2).location.column == 2)
    #expect(site(line: 1, column: 33).location.column == 33)
  }

  @Test func `a known location is found again`() {
    let first = site(line: 100_000)
    for _ in 0..<100 { #expect(bits(site(line: 100_000)) == bits(first)) }
    #expect(bits(site(line: 100_001)) != bits(first))
  }

  @Test func `concurrent threads find their locations`() {
    let lines = LockIsolated<[UInt]>([])
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      let found = site(line: 200_000 + UInt(number % 8)).location.line
      lines.withValue { $0.append(found) }
    }
    #expect(Set(lines.value) == Set(200_000..<200_008))
    #expect(lines.value.count == 64)
  }
}
