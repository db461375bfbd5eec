import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(1))) struct HubMemberTests {
  private let diary = Diary()

  private func member(takes most: Int = .max, fails: Bool = false) -> HubMember {
    HubMember(CountingConsumer(diary, most: most, fails: fails), mayBlock: true) { [diary] in
      diary.end($0)
    }
  }

  private func block(_ index: Int, lost: FrameCount = 0) -> DeviceAudio {
    let buffer = AudioBuffer(silence: 160, format: .speech, firstFrame: FrameCount(index * 160))
    return DeviceAudio(buffer: buffer, time: .milliseconds(10 * index), lost: lost)
  }

  @Test func `its time-line begins where it comes in`() throws {
    let member = member()
    for index in 2..<5 { #expect(try member.take(block(index))) }
    member.finish(.success(()))
    #expect(diary.taken == [0, 160, 320])
    #expect(diary.outcome == "finished, success")
  }

  @Test func `what was lost before its first block is no gap of its own`() throws {
    let member = member()
    for index in [5, 7] { #expect(try member.take(block(index, lost: 160))) }
    #expect(diary.taken == [0, 320])
    #expect(diary.lost == [0, 160])
  }

  @Test func `the blocks before and after it gets a thread come in order`() async throws {
    let member = member()
    for index in 0..<3 { #expect(try member.take(block(index))) }
    member.becomeOneOfMany {}
    for index in 3..<500 { #expect(try member.take(block(index))) }
    member.finish(.success(()))
    await diary.ended.wait()
    #expect(diary.taken == (0..<500).map { FrameCount($0 * 160) })
  }

  @Test func `an error of its own ends it, and its work is finished`() async throws {
    let member = member(takes: 2, fails: true)
    let left = Gate()
    member.becomeOneOfMany { left.open() }
    while try member.take(block(0)) {}
    await left.wait()
    #expect(member.wantsToLeave)
    #expect(!diary.ended.isOpen)
    member.finish(.success(()))
    await diary.ended.wait()
    #expect(diary.taken.count == 2)
    #expect(diary.outcome == "finished, \(SoundCardError.deviceLost("consumer"))")
  }

  @Test func `how the capture ended is told after what was heard`() async throws {
    let member = member()
    member.becomeOneOfMany {}
    #expect(try member.take(block(0)))
    member.finish(.failure(SoundCardError.deviceLost("device")))
    await diary.ended.wait()
    #expect(diary.taken == [0])
    #expect(diary.outcome == "finished, \(SoundCardError.deviceLost("device"))")
  }
}

/// What a consumer has been given, and how it ended.
private final class Diary: Sendable {
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

/// A consumer that wants so many blocks and then no more, or fails.
private final class CountingConsumer: CaptureConsumer {
  private let diary: Diary
  private let most: Int
  private let fails: Bool

  init(_ diary: Diary, most: Int, fails: Bool) {
    (self.diary, self.most, self.fails) = (diary, most, fails)
  }

  func take(_ captured: DeviceAudio) throws -> Bool {
    let isFull = diary.take(captured) >= most
    if isFull && fails { throw SoundCardError.deviceLost("consumer") }
    return !isFull
  }

  func finish() {
    diary.finish()
  }
}
