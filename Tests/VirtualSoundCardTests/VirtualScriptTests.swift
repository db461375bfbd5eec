import AudioCore
import SoundCard
import Testing

@testable import VirtualSoundCard

@Suite struct VirtualScriptTests {
  private let busy = VirtualFault.busy(times: 2)

  @Test func `what happens so many times does not happen once more`() throws {
    var script = VirtualScript([busy, .xrun(at: 5, lost: 1)])
    for _ in 0..<2 {
      let (entry, error) = try #require(script.failure(in: .open, at: 0))
      #expect(error == .busy("virtual"))
      script.happened(entry)
    }
    #expect(script.failure(in: .open, at: 0) == nil)
    #expect(script.timeline.map(\.frame) == [5])
  }

  @Test func `what has no number happens at every opening`() throws {
    var script = VirtualScript([.stalled(at: 20), .unplugged(at: 10), .busy()])
    for (_, entry) in script.timeline { script.happened(entry) }
    #expect(script.timeline.map(\.frame) == [10, 20])
    script.happened(try #require(script.failure(in: .open, at: 0)).entry)
    #expect(script.failure(in: .open, at: 0) != nil)
  }

  @Test func `of two faults that are the same each happens`() throws {
    let fault = VirtualFault.unplugged(at: 10, for: .seconds(1))
    var script = VirtualScript([fault, fault])
    script.happened(try #require(script.timeline.first).entry)
    #expect(script.timeline.count == 1)
    script.happened(try #require(script.timeline.first).entry)
    #expect(script.timeline.isEmpty)
  }

  @Test func `a hang-up is a loss that whoever waits is told of, once`() throws {
    var script = VirtualScript([.hungUp(at: 10)])
    #expect(script.failure(in: .wait, at: 9) == nil)
    #expect(script.failure(in: .transfer, at: 10) == nil)
    let (entry, error) = try #require(script.failure(in: .wait, at: 10))
    #expect(error == .deviceLost("virtual"))
    script.happened(entry)
    #expect(script.failure(in: .wait, at: 10) == nil)
  }
}
