import AudioCore
import AudioThreads
import Synchronization
import Testing

@testable import SoundCard

/// Tests the control thread of a device with a server that only records its calls.
@Suite(.timeLimit(.minutes(5))) struct DeviceRuntimeTests {
  private let server: NotingServer
  private let device: MonitoredCapture
  private let pcm: IdleCapture

  init() throws {
    pcm = try IdleCapture()
    device = MonitoredCapture(pcm)
    server = NotingServer(device, try DeviceLink(limit: 3))
  }

  @Test
  func `a device accepts a limited number of ports, and a port that ends makes room for another`()
    async throws
  {
    let runtime = try DeviceRuntime(device, server)
    let ports = (0..<3).map { _ in NotingPort() }
    for port in ports {
      let place = try #require(runtime.reserve())
      runtime.add(port, in: place)
    }
    #expect(runtime.reserve() == nil)
    ports[1].stop()
    runtime.wake()
    await ports[1].ended.wait()
    #expect(runtime.reserve() == 1)
    await runtime.close()
    #expect(ports.allSatisfy { $0.ended.isOpen && $0.error == nil })
    #expect(pcm.closings == 1)
  }

  @Test func `a device without a port has no audio thread and is still closed`()
    async throws
  {
    let runtime = try DeviceRuntime(device, server)
    await runtime.close()
    #expect(pcm.closings == 1)
    #expect(server.runs == 0)
  }

  @Test func `the end of the device ends every port without an error`() async throws {
    let runtime = try DeviceRuntime(device, server)
    let port = try add(to: runtime)
    server.end(.success(()))
    await port.ended.wait()
    #expect(port.error == nil)
    #expect(runtime.hasEnded)
    let late = try add(to: runtime)
    #expect(late.ended.isOpen && late.error == nil)
    await runtime.close()
  }

  @Test func `a loss ends every port with an error, even a port that is added later`() async throws
  {
    let runtime = try DeviceRuntime(device, server)
    let port = try add(to: runtime)
    server.end(.failure(.deviceLost("idle")))
    await port.ended.wait()
    #expect(port.error == .deviceLost("idle"))
    #expect(runtime.hasEnded)
    let late = try add(to: runtime)
    #expect(late.ended.isOpen && late.error == .deviceLost("idle"))
    await runtime.close()
    #expect(pcm.closings == 1)
  }

  private func add(to runtime: DeviceRuntime<NotingServer>) throws -> NotingPort {
    let port = NotingPort()
    runtime.add(port, in: try #require(runtime.reserve()))
    return port
  }
}

/// A port that records its end.
private final class NotingPort: DevicePort {
  let onDeviceLoss = DeviceLossPolicy.fail
  let ended = Gate()
  private let state = Mutex<(isStopping: Bool, error: SoundCardError?)>((false, nil))

  var isStopping: Bool { state.withLock { $0.isStopping } }
  var error: SoundCardError? { state.withLock { $0.error } }

  func stop() { state.withLock { $0.isStopping = true } }

  func report(_ event: DeviceEvent) {}
  func reportNews() {}
  func deviceLost() {}
  func deviceReturned(after gap: Duration) {}

  func conclude(_ error: (any Error)?) {
    state.withLock { $0.error = error as? SoundCardError }
    ended.open()
  }
}

/// A server whose thread performs commands until `quit` is called or the test ends the thread.
private final class NotingServer: PortServer {
  static let threadName = "test-server"

  let link: DeviceLink<NotingPort>
  private let device: MonitoredCapture
  private let state = Mutex<(runs: Int, end: Result<Void, SoundCardError>?)>((0, nil))

  init(_ device: MonitoredCapture, _ link: DeviceLink<NotingPort>) {
    (self.device, self.link) = (device, link)
  }

  var runs: Int { state.withLock { $0.runs } }

  func end(_ outcome: Result<Void, SoundCardError>) {
    state.withLock { $0.end = outcome }
    device.waker.signal()
  }

  func run() throws(SoundCardError) {
    state.withLock { $0.runs += 1 }
    while link.performCommands() {
      if let end = state.withLock({ $0.end }) { return try end.get() }
      var index = link.ports.count
      while index > 0 {
        index -= 1
        guard link.ports[index].isStopping else { continue }
        link.events.tryWrite(.finished(link.ports.remove(at: index)))
        link.wakeControl()
      }
      _ = try device.wait(for: .nothing, atMost: nil)
    }
  }

  func lose(at time: Duration?) {}
  func serveInSilence() -> Bool { link.performCommands() }
  func begin(on device: MonitoredCapture, after gap: Duration) {}
}

/// A device that only waits, and that counts the calls of `close`.
private final class IdleCapture: CapturePCM {
  let configuration = PCMConfiguration(
    device: "idle", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)
  let waker: WakeUp
  let elapsed = Duration.zero
  private let closed = Mutex(0)

  init() throws { waker = try WakeUp() }

  var closings: Int { closed.withLock { $0 } }

  func wait(for interest: PCMInterest, atMost timeout: Duration?) -> PCMWakeUp {
    waker.wait(atMost: timeout)
    return .woken
  }

  func start() {}
  func read(into samples: UnsafeMutableBufferPointer<Float>) -> PCMTransfer { .frames(0) }
  func drop() {}
  func close() { closed.withLock { $0 += 1 } }
}
