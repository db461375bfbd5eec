import Logging
import Testing

@testable import PocketSphinxEngine

@Suite struct SphinxLogTests {
  @Test func `nothing of PocketSphinx' log is shown by default`() {
    for level in Int32(0)...5 { #expect(SphinxLog.level(of: level) < .info) }
  }
}
