import AudioCore
import AudioThreads
import Dispatch
import Glibc
import SoundCard
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(5))) struct SharedCaptureTests {
  private let ended = Gate()

  private func member() -> CaptureMember {
    CaptureMember(UnusedConsumer(), mayBlock: false) { [ended] _ in ended.open() }
  }

  private func capture(_ script: [PCMWakeUp] = []) throws -> SharedCapture {
    SharedCapture(try CaptureEngine(pcm: try ScriptedCapture(script)))
  }

  @Test func `releasing an unused lease closes the device`() throws {
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

  @Test func `the first member runs the capture to the device's end`() throws {
    let capture = try capture([.ready(160)])
    let isLeased = capture.lease()
    #expect(isLeased)
    capture.join(member())
    #expect(capture.closed.isOpen && ended.isOpen)
  }

  @Test func `a member that joins after the end is finished with the outcome`() throws {
    let capture = try capture()
    _ = (capture.lease(), capture.lease())
    capture.join(CaptureMember(UnusedConsumer(), mayBlock: false) { _ in })
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

  @Test func `the last member gets what the device holds when it is stopped`() async throws {
    let rounds = DispatchSemaphore(value: 0)
    let pcm = try HoldingCapture(frames: 100, rounds: rounds)
    let capture = SharedCapture(try CaptureEngine(pcm: pcm))
    let consumer = CountingConsumer(rounds)
    let member = CaptureMember(consumer, mayBlock: false) { [ended] _ in ended.open() }
    _ = capture.lease()
    _ = try DedicatedThread.start(name: "test-capture") { capture.join(member) }
    await pcm.started.wait()
    capture.stop(member)
    await ended.wait()
    #expect(consumer.frameCount == 100)
  }

  /// A device that has frames only when it is stopped, after the consumer's thread had time to leave.
  // `@unchecked Sendable` is right because only the audio thread uses the variables.
  private final class HoldingCapture: CapturePCM, @unchecked Sendable {
    let configuration = PCMConfiguration(
      device: "holding", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
    let waker: WakeUp
    let started = Gate()
    let elapsed = Duration.zero
    private let rounds: DispatchSemaphore
    private var held: Int

    init(frames: Int, rounds: DispatchSemaphore) throws {
      (held, self.rounds) = (frames, rounds)
      waker = try WakeUp()
    }

    func start() { started.open() }

    func wait(for interest: PCMInterest, atMost timeout: Duration?) -> PCMWakeUp {
      _ = waker.wait(atMost: timeout)
      return .woken
    }

    func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
      if held > 0 { _ = rounds.wait(timeout: .now() + 1) }
      defer { held = 0 }
      samples.update(repeating: 0.5)
      return .frames(FrameCount(held))
    }

    func drop() {}
    func close() {}
  }

  /// Counts frames, and signals each round in which it takes part.
  // `@unchecked Sendable` is right because the test reads the count after the capture's end.
  private final class CountingConsumer: CaptureConsumer, @unchecked Sendable {
    private let rounds: DispatchSemaphore
    private(set) var frameCount = 0

    init(_ rounds: DispatchSemaphore) {
      self.rounds = rounds
    }

    var batchDuration: Duration {
      rounds.signal()
      return .zero
    }

    func take(_ captured: DeviceAudio) -> Bool {
      frameCount += captured.buffer.frameCount.rawValue
      return true
    }

    func finish() {}
  }

  @Test func `a member can leave while another is slower than the device`() throws {
    let capture = try capture(Array(repeating: .ready(160), count: 100_000))
    _ = (capture.lease(), capture.lease())
    let leaving = member()
    var hasLeft = false
    let slow = LaggingConsumer(behind: capture) { [ended] number in
      switch number {
      case 0: capture.join(leaving)
      case 10: capture.stop(leaving)
      case 1_000: hasLeft = ended.isOpen
      default: break
      }
      return number < 1_000
    }
    capture.join(CaptureMember(slow, mayBlock: false) { _ in })
    #expect(hasLeft)
  }

  @Test func `a consumer that blocks forever delays no other`() async throws {
    let capture = try capture(Array(repeating: .ready(160), count: 100_000))
    _ = (capture.lease(), capture.lease())
    let arrival = DispatchSemaphore(value: 0)
    let other = CaptureMember(SignalingConsumer(arrival), mayBlock: false) { _ in }
    let stalled = StalledConsumer {
      capture.join(other)
      return arrival.wait(timeout: .now() + 10) == .success
    }
    capture.join(CaptureMember(stalled, mayBlock: true) { [ended] _ in ended.open() })
    await ended.wait()
    #expect(stalled.hasGoneOn == true)
  }

  /// Goes on from its first block only when `wait` returns.
  private final class StalledConsumer: CaptureConsumer {
    private let wait: () -> Bool
    private(set) var hasGoneOn: Bool?

    init(wait: @escaping () -> Bool) {
      self.wait = wait
    }

    var mayStall: Bool { true }

    func take(_ captured: DeviceAudio) -> Bool {
      if hasGoneOn == nil { hasGoneOn = wait() }
      return true
    }

    func finish() {}
  }

  /// Signals each block.
  private final class SignalingConsumer: CaptureConsumer {
    private let arrival: DispatchSemaphore

    init(_ arrival: DispatchSemaphore) {
      self.arrival = arrival
    }

    func take(_ captured: DeviceAudio) -> Bool {
      arrival.signal()
      return true
    }

    func finish() {}
  }

  /// Is done with a block when the next one has long been there.
  private final class LaggingConsumer: CaptureConsumer {
    private let capture: SharedCapture
    private let wantsMore: (_ number: Int) -> Bool

    init(behind capture: SharedCapture, wantsMore: @escaping (_ number: Int) -> Bool) {
      (self.capture, self.wantsMore) = (capture, wantsMore)
    }

    func take(_ captured: DeviceAudio) -> Bool {
      while capture.blockCount <= captured.number + 1 { sched_yield() }
      return wantsMore(captured.number)
    }

    func finish() {}
  }

  private final class UnusedConsumer: CaptureConsumer {
    func take(_ captured: DeviceAudio) -> Bool { true }
    func finish() {}
  }
}
