import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(1))) struct SharedCaptureTests {
  private let ended = Gate()

  private func member() -> HubMember {
    HubMember(Nobody(), mayBlock: false) { [ended] _ in ended.open() }
  }

  private func capture(_ script: [PCMWakeUp] = []) throws -> SharedCapture {
    SharedCapture(try CaptureEngine(pcm: try ScriptedCapture(script)))
  }

  @Test func `a lease that is given back unused closes the device`() throws {
    let capture = try capture()
    let leases = [capture.lease(), capture.lease()]
    #expect(leases == [true, true])
    capture.release()
    #expect(!capture.closed.isOpen)
    capture.release()
    #expect(capture.closed.isOpen)
    let late = capture.lease()
    #expect(!late)
  }

  @Test func `the one who joins first runs the capture to the device's end`() throws {
    let capture = try capture([.ready(160)])
    let isLeased = capture.lease()
    #expect(isLeased)
    capture.join(member())
    #expect(capture.closed.isOpen && ended.isOpen)
  }

  @Test func `who joins after the end is told so`() throws {
    let capture = try capture()
    _ = (capture.lease(), capture.lease())
    capture.join(HubMember(Nobody(), mayBlock: false) { _ in })
    #expect(!ended.isOpen)
    capture.join(member())
    #expect(ended.isOpen)
  }

  @Test func `a member that was stopped before it joined ends at once`() throws {
    let capture = try capture(Array(repeating: .timedOut, count: 1_000_000))
    _ = capture.lease()
    let member = member()
    capture.stop(member)
    capture.join(member)
    #expect(ended.isOpen && capture.closed.isOpen)
  }

  private final class Nobody: CaptureConsumer {
    func take(_ captured: DeviceAudio) -> Bool { true }
    func finish() {}
  }
}
