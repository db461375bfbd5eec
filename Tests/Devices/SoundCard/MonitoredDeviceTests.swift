import AudioCore
import AudioThreads
import Testing

@testable import SoundCard

@Suite struct MonitoredDeviceTests {
  @Test func `a hanging device is woken, then abandoned, and the error names the hanging call`()
    async throws
  {
    let device = try HangingDevice()
    let pcm = MonitoredPlayback(device)
    let lost = SoundCardError.deviceLost("hanging")
    let thread = try DedicatedThread.start(name: "hangs") {
      #expect(throws: lost) { try pcm.drop() }
    }
    let error = await Self.firstError(of: pcm)
    #expect(error == .notResponding("hanging", operation: "drop"))
    #expect(device.waker.clear())
    #expect(pcm.heartbeat.isAbandoned)
    device.release()
    await thread.join()
  }

  @Test func `the error of a microphone that hangs during a read names the read`() async throws {
    let device = try HangingDevice()
    let pcm = MonitoredCapture(device)
    let thread = try DedicatedThread.start(name: "hangs") {
      let memory = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
      #expect(throws: SoundCardError.self) { try pcm.read(into: memory) }
    }
    let error = await Self.firstError(of: pcm)
    #expect(error == .notResponding("hanging", operation: "read"))
    device.release()
    await thread.join()
  }

  @Test func `every call on an abandoned device throws deviceLost, and the device can be closed`()
    throws
  {
    let device = try HangingDevice()
    device.release()
    let pcm = MonitoredPlayback(device)
    #expect(pcm.heartbeat.abandon())
    let lost = SoundCardError.deviceLost("hanging")
    #expect(throws: lost) { try pcm.wait(for: .period, atMost: nil) }
    #expect(throws: lost) { try pcm.start() }
    #expect(throws: lost) { try pcm.drop() }
    #expect(throws: lost) { try pcm.timeUntilUnderrun }
    #expect(throws: lost) { try pcm.delay() }
    #expect(throws: lost) { try pcm.write(UnsafeBufferPointer(start: nil, count: 0)) }
    pcm.close()
    #expect(device.isClosed.isOpen)
  }

  @Test func `a loss is reported before the device is closed, and a normal end afterward`()
    throws
  {
    for outcome in [Result<Void, SoundCardError>.success(()), .failure(.deviceLost("hanging"))] {
      let device = try HangingDevice()
      let pcm = MonitoredPlayback(device)
      var wasClosed: Bool?
      pcm.close(after: outcome) { _ in wasClosed = device.isClosed.isOpen }
      #expect(wasClosed == outcome.isSuccess && device.isClosed.isOpen)
      #expect(pcm.heartbeat.isAbandoned == !outcome.isSuccess)
    }
  }

  @Test func `an abandoned thread reports nothing and closes its device`() throws {
    let device = try HangingDevice()
    let pcm = MonitoredPlayback(device)
    #expect(pcm.heartbeat.abandon())
    pcm.close(after: .failure(.deviceLost("hanging"))) { _ in Issue.record("reported") }
    #expect(device.isClosed.isOpen)
  }

  @Test
  func `a device that waits without a timeout, and returns when woken, never counts as hanging`()
    throws
  {
    let device = try HangingDevice()
    let pcm = MonitoredPlayback(device)
    let hasEnded = try WakeUp()
    _ = try DedicatedThread.start(name: "waits") {
      for _ in 0..<2 { _ = try? pcm.wait(for: .nothing, atMost: nil) }
      hasEnded.signal()
    }
    let silence = try WakeUp()
    while !hasEnded.clear() {
      #expect(try !pcm.monitor(until: silence))
    }
  }

  /// Monitors a device on a new thread until there is an error, and returns the error.
  private static func firstError<Device>(
    of device: MonitoredDevice<Device>
  ) async -> SoundCardError? {
    await withCheckedContinuation { continuation in
      do {
        let silence = try WakeUp()
        _ = try DedicatedThread.start(name: "looks") {
          do throws(SoundCardError) {
            while try !device.monitor(until: silence) {}
            continuation.resume(returning: nil)
          } catch {
            continuation.resume(returning: error)
          }
        }
      } catch {
        Issue.record(error)
        continuation.resume(returning: nil)
      }
    }
  }
}

extension Result<Void, SoundCardError> {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// A device whose `drop` and `read` return only after a call of `release`.
final class HangingDevice: PlaybackPCM, CapturePCM {
  let configuration = PCMConfiguration(
    device: "hanging", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
  let waker: WakeUp
  let isClosed = Gate()
  private let released: WakeUp

  init() throws {
    waker = try WakeUp()
    released = try WakeUp()
  }

  func release() { released.signal() }

  var elapsed: Duration { .zero }
  var timeUntilUnderrun: Duration { .zero }
  func delay() -> FrameCount { 0 }
  func start() {}
  func drop() { released.wait() }
  func close() { isClosed.open() }
  func write(_ samples: UnsafeBufferPointer<Float>) -> PCMTransfer { .frames(0) }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer {
    released.wait()
    return .frames(0)
  }

  func wait(for interest: PCMInterest, atMost timeout: Duration?) -> PCMWakeUp {
    waker.wait()
    return .woken
  }
}
