import AudioCore
import SoundCard
import Testing

@testable import VirtualSoundCard

@Suite struct VirtualScriptTests {
  private let busy = VirtualFault.busy(times: 2)

  @Test func `a fault with a count happens at most that many times`() throws {
    var script = VirtualScript([busy, .xrun(at: 5, lost: 1)])
    for _ in 0..<2 {
      let (fault, error) = try #require(script.failure(in: .open, at: 0))
      #expect(error == .busy("virtual"))
      script.happened(fault)
    }
    #expect(script.failure(in: .open, at: 0) == nil)
    #expect(script.timeline.map(\.frame) == [5])
  }

  @Test func `a fault without a count happens at every opening`() throws {
    var script = VirtualScript([.stalled(at: 20), .unplugged(at: 10), .busy()])
    for (_, fault) in script.timeline { script.happened(fault) }
    #expect(script.timeline.map(\.frame) == [10, 20])
    script.happened(try #require(script.failure(in: .open, at: 0)).fault)
    #expect(script.failure(in: .open, at: 0) != nil)
  }

  @Test func `a fault that is scripted twice happens twice`() throws {
    let unplugged = VirtualFault.unplugged(at: 10, for: .seconds(1))
    var script = VirtualScript([unplugged, unplugged])
    script.happened(try #require(script.timeline.first).fault)
    #expect(script.timeline.count == 1)
    script.happened(try #require(script.timeline.first).fault)
    #expect(script.timeline.isEmpty)
  }

  @Test func `a scripted hang-up throws deviceLost once, and only from a wait`() throws {
    var script = VirtualScript([.hungUp(at: 10)])
    #expect(script.failure(in: .wait, at: 9) == nil)
    #expect(script.failure(in: .transfer, at: 10) == nil)
    let (fault, error) = try #require(script.failure(in: .wait, at: 10))
    #expect(error == .deviceLost("virtual"))
    script.happened(fault)
    #expect(script.failure(in: .wait, at: 10) == nil)
  }
}
