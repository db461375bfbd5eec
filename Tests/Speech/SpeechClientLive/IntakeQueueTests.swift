import AudioCore
import SpeechClient
import Synchronization
import Testing

@testable import SpeechClientLive

@Suite struct IntakeQueueTests {
  /// Returns buffer `number` of a stream whose buffers are a tenth of a second long.
  private func buffer(_ number: Int, at frame: Int? = nil) -> AudioBuffer {
    AudioBuffer(
      format: .speech, samples: Array(repeating: Float(number), count: 1600),
      firstFrame: FrameCount(frame ?? number * 1600))
  }

  private func taken(_ queue: inout IntakeQueue) -> IntakeQueue.Item? {
    if case .element(let item) = queue.next() { item } else { nil }
  }

  private func isOver(_ queue: inout IntakeQueue) -> Bool {
    if case .end = queue.next() { true } else { false }
  }

  @Test func `a source that can wait delivers one buffer at a time`() {
    var queue = IntakeQueue(.wait)
    #expect(queue.hasRoom && taken(&queue) == nil && !queue.isClosed)
    queue.add(buffer(0))
    #expect(!queue.hasRoom)
    #expect(taken(&queue) == IntakeQueue.Item(buffer: buffer(0)))
    #expect(queue.hasRoom)
    queue.close()
    #expect(isOver(&queue))
  }

  @Test func `a live source keeps its newest audio and reports the dropped audio before it`() {
    var queue = IntakeQueue(.buffer(upTo: .milliseconds(500)))
    for number in 0..<12 { queue.add(buffer(number)) }
    #expect(queue.hasRoom)
    let first = taken(&queue)
    #expect(first?.dropped == .zero ..< .milliseconds(700))
    #expect(first?.buffer == buffer(7))
    #expect(taken(&queue)?.dropped == nil)
  }

  @Test func `a backlog beyond the limit drops an eighth of its audio at once, as one range`() {
    var queue = IntakeQueue(.buffer(upTo: .seconds(8)))
    for number in 0..<90 { queue.add(buffer(number)) }
    let first = taken(&queue)
    #expect(first?.dropped == .zero ..< .seconds(1))
    #expect(first?.buffer == buffer(10))
    for number in 11..<90 {
      #expect(taken(&queue) == IntakeQueue.Item(buffer: buffer(number), isLate: number < 85))
    }
  }

  @Test func `the next buffer's count of silenced samples includes those of dropped buffers`() {
    var queue = IntakeQueue(.buffer(upTo: .milliseconds(500)))
    for number in 0..<12 {
      var buffer = buffer(number)
      buffer.silencedSampleCount = number < 3 ? 2 : 0
      queue.add(buffer)
    }
    #expect(taken(&queue)?.buffer.silencedSampleCount == 6)
    #expect(taken(&queue)?.buffer.silencedSampleCount == 0)
  }

  @Test func `a live source's buffer is late if the backlog behind it is at least half a second`() {
    var live = IntakeQueue(.buffer(upTo: .seconds(60)))
    var patient = IntakeQueue(.wait)
    for number in 0..<7 {
      live.add(buffer(number))
      patient.add(buffer(number))
    }
    #expect(
      (0..<7).map { _ in taken(&live)?.isLate } == [true, true] + Array(repeating: false, count: 5))
    #expect((0..<7).allSatisfy { _ in taken(&patient)?.isLate == false })
  }

  @Test
  func `buffers that all begin at frame 0 keep their positions when other buffers are dropped`() {
    var queue = IntakeQueue(.buffer(upTo: .milliseconds(500)))
    for number in 0..<10 { queue.add(buffer(number, at: 0)) }
    #expect(taken(&queue)?.buffer.firstFrame == 8000)
  }

  @Test(arguments: [SpeechRequest.BackPressure.wait, .buffer(upTo: .seconds(60))])
  func `if the frame index jumps ahead, the missing frames are a gap before the buffer`(
    backPressure: SpeechRequest.BackPressure
  ) {
    var queue = IntakeQueue(backPressure)
    // A buffer whose frame index jumps back is treated as directly following the previous buffer.
    for number in [0, 1, 5, 0, 7] {
      queue.add(buffer(number))
    }
    let gaps = (0..<5).map { _ in taken(&queue)?.gap }
    #expect(gaps == [nil, nil, .milliseconds(200) ..< .milliseconds(500), nil, nil])
  }

  @Test func `gaps that are too short to report are reported together, with their total length`() {
    var queue = IntakeQueue(.wait)
    // Six frames (375 µs) are missing before each of four buffers, and 100 ms before the last
    // buffer.
    var gaps: [Range<Duration>?] = []
    for (index, frame) in [0, 1606, 3212, 4818, 6424, 9624].enumerated() {
      queue.add(buffer(index, at: frame))
      gaps.append(taken(&queue)?.gap)
    }
    func stretch(_ frames: Int, before end: Int) -> Range<Duration> {
      let end = FrameCount(end).duration(at: .speech)
      return end - FrameCount(frames).duration(at: .speech)..<end
    }
    #expect(gaps == [nil, nil, nil, stretch(18, before: 4818), nil, stretch(1606, before: 9624)])
  }

  @Test func `rounding errors between two formats never add up to a gap`() {
    var queue = IntakeQueue(.wait)
    let other = AudioFormat(sampleRate: 44_100, channelCount: 1)
    var end = Duration.zero
    for index in 0..<40 {
      let format = index % 2 == 0 ? AudioFormat.speech : other
      // The buffer begins at the first frame that does not overlap the previous buffer.
      let frame = FrameCount(
        Int((end / .seconds(1) * Double(format.sampleRate.hertz)).rounded(.up)))
      let length = index % 2 == 0 ? 1601 : 4411
      queue.add(AudioBuffer(silence: FrameCount(length), format: format, firstFrame: frame))
      let item = taken(&queue)
      #expect(item?.gap == nil)
      end = item?.buffer.endFrame.duration(at: format.sampleRate) ?? end
    }
  }

  @Test func `a gap after dropped audio begins at the end of the dropped audio`() {
    var queue = IntakeQueue(.buffer(upTo: .milliseconds(500)))
    for number in [0, 1, 4, 5, 6, 7, 8] { queue.add(buffer(number)) }
    let first = taken(&queue)
    #expect(
      first?.losses == [
        .dropped(.zero ..< .milliseconds(200), reason: .engineTooSlow),
        .dropped(.milliseconds(200) ..< .milliseconds(400), reason: .gap),
      ])
    #expect(taken(&queue)?.gap == nil)
  }

  @Test func `a gap before dropped audio is part of the dropped range`() {
    var queue = IntakeQueue(.buffer(upTo: .milliseconds(500)))
    queue.add(buffer(0))
    #expect(taken(&queue)?.gap == nil)
    for number in 3..<9 { queue.add(buffer(number)) }
    let next = taken(&queue)
    #expect(next?.dropped == .milliseconds(100) ..< .milliseconds(400))
    #expect(next?.gap == nil)
  }

  @Test func `a backlog limit below half a second is raised to half a second`() {
    var queue = IntakeQueue(.buffer(upTo: .zero))
    for number in 0..<6 { queue.add(buffer(number)) }
    #expect(taken(&queue)?.dropped == .zero ..< .milliseconds(100))
  }

  @Test func `queued audio is reported as a lag`() {
    let lags = Mutex<[Duration]>([])
    var queue = IntakeQueue(.buffer(upTo: .seconds(60))) { lag in lags.withLock { $0.append(lag) } }
    for number in 0..<22 { queue.add(buffer(number)) }
    for _ in 0..<22 {
      _ = taken(&queue)
      queue.settle()
    }
    #expect(lags.withLock { $0 } == [.milliseconds(2100), .milliseconds(1100), .zero])
  }

  /// Returns the reported lag at each of these backlogs; both are in tenths of a second.
  private func lags(at backlogs: [Int]) -> [Double?] {
    let lag = Mutex<Double?>(nil)
    var queue = IntakeQueue(.buffer(upTo: .seconds(60))) { new in
      lag.withLock { $0 = new / .milliseconds(100) }
    }
    var (added, removed) = (0, 0)
    return backlogs.map { backlog in
      while added - removed < backlog {
        queue.add(buffer(added))
        added += 1
      }
      while added - removed > backlog {
        _ = taken(&queue)
        removed += 1
      }
      queue.settle()
      return lag.withLock { $0.take() }
    }
  }

  @Test func `a lag is reported from one second on, at each further second, and at its end`() {
    #expect(lags(at: [0, 9, 10, 15, 20, 25, 35]) == [nil, nil, 10, nil, 20, nil, 35])
    #expect(lags(at: [30, 25, 20, 6, 4, 4]) == [30, nil, 20, 6, 0, nil])
  }

  @Test func `a lag that hovers around one second is reported once`() {
    #expect(lags(at: [11, 9, 11, 9]) == [11, nil, nil, nil])
  }

  @Test func `a finishing task recognizes all queued audio and up to twenty seconds more`() {
    var queue = IntakeQueue(.buffer(upTo: .seconds(30)))
    for number in 0..<300 { queue.add(buffer(number)) }
    queue.finish()
    for number in 300..<600 { queue.add(buffer(number)) }
    #expect(queue.isClosed)
    var received: [AudioBuffer] = []
    while let item = taken(&queue) {
      received.append(item.buffer)
      #expect(item.dropped == nil)
    }
    #expect(received.count == 500)
    #expect(received.last == buffer(499))
    #expect(isOver(&queue))
  }

  @Test func `finishing limits the number of empty buffers that are accepted`() {
    var queue = IntakeQueue(.wait)
    queue.finish()
    let empty = AudioBuffer(format: .speech, samples: [], firstFrame: 0)
    var count = 0
    while count < 100_000 {
      queue.add(empty)
      guard case .element = queue.next() else { break }
      count += 1
    }
    #expect(count == 20_000)
  }

  @Test func `an abandoned queue accepts and returns no audio`() {
    var queue = IntakeQueue(.buffer(upTo: .seconds(1)))
    queue.add(buffer(0))
    queue.abandon()
    queue.add(buffer(1))
    #expect(queue.hasRoom && isOver(&queue))
  }
}

extension IntakeQueue.Item {
  fileprivate var dropped: Range<Duration>? { stretch(.engineTooSlow) }
  fileprivate var gap: Range<Duration>? { stretch(.gap) }

  private func stretch(_ reason: SpeechRecognitionEvent.DropReason) -> Range<Duration>? {
    for case .dropped(let stretch, reason) in losses { return stretch }
    return nil
  }
}
