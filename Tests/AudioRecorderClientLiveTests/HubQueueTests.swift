import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(1))) struct HubQueueTests {
  private let queue: HubQueue

  init() throws {
    queue = try HubQueue()
  }

  private func block(_ second: Int) -> DeviceAudio {
    let first = FrameCount(second * 16_000)
    let buffer = AudioBuffer(silence: 16_000, format: .speech, firstFrame: first)
    return DeviceAudio(buffer: buffer, time: .seconds(second), lost: 0)
  }

  @Test func `a full queue lets its writer wait and loses nothing`() async throws {
    let queue = try HubQueue(patience: .seconds(3_600))
    let writer = try DedicatedThread.start(name: "writer") {
      for second in 0..<100 { _ = queue.push(block(second)) }
      queue.finish(.success(()))
    }
    var seconds: [Int] = []
    while case .success(let block) = queue.pop() {
      seconds.append(block.buffer.firstFrame.rawValue / 16_000)
    }
    #expect(seconds == Array(0..<100))
    await writer.join()
  }

  @Test func `a reader that hangs loses what finds no room, and is told how much`() throws {
    let queue = try HubQueue(patience: .zero)
    for second in 0..<20 { #expect(queue.push(block(second))) }
    for _ in 0..<2 { _ = queue.pop() }
    for second in 20..<23 { #expect(queue.push(block(second))) }
    queue.finish(.success(()))
    var seen: [DeviceAudio] = []
    while case .success(let block) = queue.pop() { seen.append(block) }
    #expect(
      seen.map(\.buffer.firstFrame.rawValue) == ((2..<16) + [20, 21, 23]).map { $0 * 16_000 })
    #expect(seen.map(\.lost) == Array(repeating: 0, count: 14) + [64_000, 0, 16_000])
    #expect(seen.last?.buffer.isEmpty == true)
  }

  @Test func `a disk that is slower than what comes is waited for a while, and loses then`() throws
  {
    let disk = SlowDisk()
    let queue = try HubQueue(patience: .seconds(2)) { [disk] _, limit in
      disk.takes(.milliseconds(500), atMost: limit)
    }
    disk.serve(queue)
    for second in 0..<40 { #expect(queue.push(block(second))) }
    #expect(disk.waited == .seconds(2))
    queue.finish(.success(()))
    let lost = disk.rest(of: queue).map(\.lost.rawValue).reduce(0, +)
    // Sixteen found room, four more while they were waited for.
    #expect(lost == 20 * 16_000)
  }

  @Test func `a disk that has caught up by half is waited for anew`() throws {
    let disk = SlowDisk()
    let queue = try HubQueue(patience: .seconds(2)) { [disk] _, limit in
      disk.takes(.milliseconds(500), atMost: limit)
    }
    disk.serve(queue)
    for second in 0..<21 { #expect(queue.push(block(second))) }
    #expect(disk.waited == .seconds(2))
    for _ in 0..<7 { _ = queue.pop() }
    for second in 21..<28 { #expect(queue.push(block(second))) }
    #expect(queue.push(block(28)))
    #expect(disk.waited == .seconds(2))
    for _ in 0..<8 { _ = queue.pop() }
    for second in 29..<38 { #expect(queue.push(block(second))) }
    #expect(disk.waited == .seconds(2) + .milliseconds(500))
  }

  @Test func `news of the device finds room in a full queue, after what was lost before it`() throws
  {
    let queue = try HubQueue(patience: .zero)
    for second in 0..<17 { #expect(queue.push(block(second))) }
    let none = AudioBuffer(silence: 0, format: .speech, firstFrame: 272_000)
    let isTaken = queue.push(DeviceAudio(buffer: none, time: .seconds(17), lost: 0, news: .lost))
    #expect(isTaken)
    queue.finish(.success(()))
    var seen: [DeviceAudio] = []
    while case .success(let block) = queue.pop() { seen.append(block) }
    #expect(seen.count == 18)
    #expect(seen.suffix(2).map(\.lost) == [16_000, 0])
    #expect(seen.last?.news == .lost)
  }

  @Test func `a reader that wants no more sends its writer away`() async throws {
    let writer = try DedicatedThread.start(name: "writer") { [queue] in
      while queue.push(block(0)) {}
    }
    _ = queue.pop()
    queue.refuse()
    await writer.join()
    #expect(queue.isRefused)
    queue.finish(.success(()))
    queue.waitForRelease()
  }

  @Test func `a reader that wants no more after the end waits for nobody`() {
    for second in 0..<2 { _ = queue.push(block(second)) }
    queue.finish(.success(()))
    _ = queue.pop()
    queue.refuse()
    queue.waitForRelease()
    #expect(queue.isRefused)
  }

  @Test func `the end comes after what is there, with its reason`() {
    _ = queue.push(block(0))
    queue.finish(.failure(SoundCardError.deviceLost("hw")))
    guard case .success = queue.pop() else { return #expect(Bool(false)) }
    #expect(throws: SoundCardError.deviceLost("hw")) {
      if case .failure(let end) = queue.pop() { try end.outcome.get() }
    }
  }
}

/// A disk that takes one block while somebody waits for it.
private final class SlowDisk: Sendable {
  private let state = Mutex<(waited: Duration, queue: HubQueue?)>((.zero, nil))

  /// How long it was waited for, all in all.
  var waited: Duration { state.withLock { $0.waited } }

  func serve(_ queue: HubQueue) { state.withLock { $0.queue = queue } }

  func takes(_ time: Duration, atMost limit: Duration) -> Duration {
    let waited = min(time, limit)
    let queue = state.withLock { state in
      state.waited += waited
      return state.queue
    }
    _ = queue?.pop()
    return waited
  }

  func rest(of queue: HubQueue) -> [DeviceAudio] {
    state.withLock { $0.queue = nil }
    var blocks: [DeviceAudio] = []
    while case .success(let block) = queue.pop() { blocks.append(block) }
    return blocks
  }
}
