import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(5))) struct MemberQueueTests {
  private let queue: MemberQueue

  init() throws {
    queue = try MemberQueue()
  }

  private func block(_ second: Int) -> DeviceAudio {
    let first = FrameCount(second * 16_000)
    let buffer = AudioBuffer(silence: 16_000, format: .speech, firstFrame: first)
    return DeviceAudio(buffer: buffer, time: .seconds(second), lost: 0)
  }

  @Test func `a full queue makes its writer wait and loses no frame`() async throws {
    let queue = try MemberQueue(timeout: .seconds(3_600))
    let writer = try DedicatedThread.start(name: "writer") {
      for second in 0..<100 { _ = queue.push(block(second)) }
      queue.finish(.success(()))
    }
    var seconds: [Int] = []
    while case .block(let block) = queue.pop() {
      seconds.append(block.buffer.firstFrame.rawValue / 16_000)
    }
    #expect(seconds == Array(0..<100))
    await writer.join()
  }

  @Test func `a hanging reader loses blocks beyond the queue and gets the number of lost frames`()
    throws
  {
    let queue = try MemberQueue(depth: .seconds(16), timeout: .zero)
    for second in 0..<20 { #expect(queue.push(block(second))) }
    for _ in 0..<2 { _ = queue.pop() }
    for second in 20..<23 { #expect(queue.push(block(second))) }
    queue.finish(.success(()))
    var seen: [DeviceAudio] = []
    while case .block(let block) = queue.pop() { seen.append(block) }
    #expect(
      seen.map(\.buffer.firstFrame.rawValue) == ((2..<16) + [20, 21, 23]).map { $0 * 16_000 })
    #expect(seen.map(\.lost) == Array(repeating: 0, count: 14) + [64_000, 0, 16_000])
    #expect(seen.last?.buffer.isEmpty == true)
  }

  @Test func `a disk that is too slow delays the writer for a while, then loses frames`() throws {
    let disk = SlowDisk()
    let queue = try MemberQueue(depth: .seconds(16), timeout: .seconds(2)) { [disk] _, limit in
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

  @Test func `a disk that has caught up by half may delay the writer again`() throws {
    let disk = SlowDisk()
    let queue = try MemberQueue(depth: .seconds(16), timeout: .seconds(2)) { [disk] _, limit in
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

  @Test func `an event fits into a full queue, after the loss before it`() throws {
    let queue = try MemberQueue(depth: .seconds(16), timeout: .zero)
    for second in 0..<17 { #expect(queue.push(block(second))) }
    let none = AudioBuffer(silence: 0, format: .speech, firstFrame: 272_000)
    let isTaken = queue.push(DeviceAudio(buffer: none, time: .seconds(17), lost: 0, event: .lost))
    #expect(isTaken)
    queue.finish(.success(()))
    var seen: [DeviceAudio] = []
    while case .block(let block) = queue.pop() { seen.append(block) }
    #expect(seen.count == 18)
    #expect(seen.suffix(2).map(\.lost) == [16_000, 0])
    #expect(seen.last?.event == .lost)
  }

  @Test func `a reader that wants no more releases its writer`() async throws {
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

  @Test func `a reader that wants no more after the end does not wait`() {
    for second in 0..<2 { _ = queue.push(block(second)) }
    queue.finish(.success(()))
    _ = queue.pop()
    queue.refuse()
    queue.waitForRelease()
    #expect(queue.isRefused)
  }

  @Test func `the end comes after the queued blocks, with its reason`() {
    _ = queue.push(block(0))
    queue.finish(.failure(SoundCardError.deviceLost("hw")))
    guard case .block = queue.pop() else { return #expect(Bool(false)) }
    #expect(throws: SoundCardError.deviceLost("hw")) {
      if case .end(let outcome) = queue.pop() { try outcome.get() }
    }
  }
}

/// A disk that takes one block while the writer waits.
private final class SlowDisk: Sendable {
  private let state = Mutex<(waited: Duration, queue: MemberQueue?)>((.zero, nil))

  /// How long it was waited for, all in all.
  var waited: Duration { state.withLock { $0.waited } }

  func serve(_ queue: MemberQueue) { state.withLock { $0.queue = queue } }

  func takes(_ time: Duration, atMost limit: Duration) -> Duration {
    let waited = min(time, limit)
    let queue = state.withLock { state in
      state.waited += waited
      return state.queue
    }
    _ = queue?.pop()
    return waited
  }

  func rest(of queue: MemberQueue) -> [DeviceAudio] {
    state.withLock { $0.queue = nil }
    var blocks: [DeviceAudio] = []
    while case .block(let block) = queue.pop() { blocks.append(block) }
    return blocks
  }
}
