import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(5))) struct CaptureMemberTests {
  private let log = ConsumerLog()

  private func member(takes most: Int = .max, fails: Bool = false) -> CaptureMember {
    CaptureMember(CountingConsumer(log, most: most, fails: fails), mayBlock: true) { [log] in
      log.end($0)
    }
  }

  private func block(_ index: Int, lost: FrameCount = 0) -> DeviceAudio {
    let buffer = AudioBuffer(silence: 160, format: .speech, firstFrame: FrameCount(index * 160))
    return DeviceAudio(buffer: buffer, time: .milliseconds(10 * index), lost: lost)
  }

  @Test func `a member's timeline begins with its first block`() throws {
    let member = member()
    for index in 2..<5 { #expect(try member.take(block(index))) }
    member.finish(.success(()))
    #expect(log.taken == [0, 160, 320])
    #expect(log.outcome == "finished, success")
  }

  @Test func `a loss before a member's first block is not its gap`() throws {
    let member = member()
    for index in [5, 7] { #expect(try member.take(block(index, lost: 160))) }
    #expect(log.taken == [0, 320])
    #expect(log.lost == [0, 160])
  }

  @Test func `blocks stay in order when a member moves to a thread of its own`() async throws {
    let member = member()
    for index in 0..<3 { #expect(try member.take(block(index))) }
    member.startThread {}
    for index in 3..<500 { #expect(try member.take(block(index))) }
    member.finish(.success(()))
    await log.ended.wait()
    #expect(log.taken == (0..<500).map { FrameCount($0 * 160) })
  }

  @Test func `a member that fails is finished and ends with its own error`() async throws {
    let member = member(takes: 2, fails: true)
    let left = Gate()
    member.startThread { left.open() }
    while try member.take(block(0)) {}
    await left.wait()
    #expect(member.wantsToLeave)
    #expect(!log.ended.isOpen)
    member.finish(.success(()))
    await log.ended.wait()
    #expect(log.taken.count == 2)
    #expect(log.outcome == "finished, \(SoundCardError.deviceLost("consumer"))")
  }

  @Test func `a member learns how the capture ended after its last block`() async throws {
    let member = member()
    member.startThread {}
    #expect(try member.take(block(0)))
    member.finish(.failure(SoundCardError.deviceLost("device")))
    await log.ended.wait()
    #expect(log.taken == [0])
    #expect(log.outcome == "finished, \(SoundCardError.deviceLost("device"))")
  }
}

/// The blocks of a consumer and its end.
private final class ConsumerLog: Sendable {
  let ended = Gate()
  private let state = Mutex<
    (taken: [FrameCount], lost: [FrameCount], isFinished: Bool, outcome: String)
  >(([], [], false, ""))

  var taken: [FrameCount] { state.withLock { $0.taken } }
  var lost: [FrameCount] { state.withLock { $0.lost } }
  var outcome: String { state.withLock { $0.outcome } }

  func take(_ block: DeviceAudio) -> Int {
    state.withLock { state in
      state.taken.append(block.buffer.firstFrame)
      state.lost.append(block.lost)
      return state.taken.count
    }
  }

  func finish() {
    state.withLock { $0.isFinished = true }
  }

  func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      let word =
        switch outcome {
        case .success: "success"
        case .failure(let error): "\(error)"
        }
      state.outcome = (state.isFinished ? "finished, " : "") + word
    }
    ended.open()
  }
}

/// A consumer that takes a number of blocks and then leaves or fails.
private final class CountingConsumer: CaptureConsumer {
  private let log: ConsumerLog
  private let most: Int
  private let fails: Bool

  init(_ log: ConsumerLog, most: Int, fails: Bool) {
    (self.log, self.most, self.fails) = (log, most, fails)
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    let isFull = log.take(captured) >= most
    if isFull && fails { throw SoundCardError.deviceLost("consumer") }
    return !isFull
  }

  func finish() {
    log.finish()
  }
}
