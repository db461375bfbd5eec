import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioRecorderClientLive

@Suite(.timeLimit(.minutes(5))) struct CapturePortTests {
  private let speech = PCMConfiguration(
    device: "port", format: .speech, sampleFormat: .float32, period: 160, buffer: 640)

  private func write(_ samples: Int, lost: Int = 0, to port: CapturePort) {
    let sound = (0..<samples).map { Float($0) }
    sound.withUnsafeBufferPointer {
      port.write(
        $0, .speech, lost: lost, time: .nanoseconds(7), hostTime: port.beginning + .seconds(3),
        nonFinite: 0)
    }
  }

  @Test func `the reader is called once for each block unless its threshold is higher`() {
    let port = CapturePort(of: speech)
    let calls = Atomic<Int>(0)
    port.setReader { calls.add(1, ordering: .relaxed) }
    func callsAfter(_ samples: Int) -> Int {
      write(samples, to: port)
      // The second report has no news.
      for _ in 0..<2 { port.reportNews() }
      return calls.load(ordering: .relaxed)
    }
    #expect(callsAfter(160) == 1)
    port.deferWakeUps(for: 400)
    #expect(callsAfter(160) == 1 && !port.isDue)
    #expect(callsAfter(160) == 2 && port.isDue)
  }

  @Test func `the control thread's stack does not grow over thousands of wake-ups`()
    throws
  {
    let port = CapturePort(of: speech)
    let addresses = Mutex<Set<Int>>([])
    port.setReader {
      var here = 0
      withUnsafePointer(to: &here) { pointer in
        addresses.withLock { _ = $0.insert(Int(bitPattern: pointer)) }
      }
    }
    for _ in 0..<10_000 {
      port.wakeReader()
      port.reportNews()
    }
    #expect(addresses.withLock { $0.count } == 1)
  }

  @Test func `blocks are joined up to a limit, and never across a loss`() throws {
    let port = CapturePort(of: speech)
    for lost in [0, 0, 0, 80, 0] { write(160, lost: lost, to: port) }
    var reader = BlockReader(port)
    var joined: [CapturedAudio] = []
    var counts: [Int] = []
    while let block = reader.nextAudio(joining: 300) {
      joined.append(block)
      counts.append(reader.blockCount)
    }
    #expect(joined.map(\.buffer.frameCount) == [320, 160, 320])
    #expect(joined.map(\.buffer.firstFrame) == [0, 320, 560])
    #expect(joined.map(\.gap?.lost) == [nil, nil, 80])
    #expect(joined.allSatisfy { $0.buffer.hostTime == port.beginning + .seconds(3) })
    #expect(counts == [2, 3, 5])
    let sound = (0..<160).map { Float($0) }
    #expect(joined[0].buffer.samples == sound + sound)
  }

  @Test func `each joined block comes with the number of original blocks before it`()
    throws
  {
    let port = CapturePort(of: speech)
    for lost in [0, 0, 0, 80, 0] { write(160, lost: lost, to: port) }
    port.conclude(nil)
    let consumer = try LoggingConsumer()
    consumer.batchDuration = .milliseconds(20)
    try port.drain(into: consumer) {}
    #expect(consumer.numbers == [0, 2, 3])
  }

  @Test func `blocks that are written during a read are left for the next read, so each read ends`()
    throws
  {
    let port = CapturePort(of: speech)
    let consumer = try LoggingConsumer(most: 1_000)
    consumer.willProcess = { [self] in write(160, to: port) }
    write(160, to: port)
    write(160, to: port)
    var reader = BlockReader(port)
    #expect(try reader.read(into: consumer) {})
    #expect(consumer.numbers == [0, 1])
    consumer.willProcess = {}
    port.conclude(nil)
    let isServed = try reader.read(into: consumer) {}
    #expect(!isServed && consumer.numbers == [0, 1, 2, 3])
  }

  @Test(arguments: [(160, 512_000), (16_000, 512_000), (160_000, 640_000)])
  func `the ring holds 32 seconds, or four periods if they are longer`(
    period: Int, capacity: Int
  ) throws {
    let format = AudioFormat(sampleRate: 16_000, channelCount: 2)
    let port = CapturePort(
      of: PCMConfiguration(
        device: "slow", format: format, sampleFormat: .float32, period: FrameCount(period),
        buffer: FrameCount(4 * period)))
    #expect(port.samples.capacity == 2 * capacity)
  }

  @Test
  func `a consumer's timeline begins with its first block, and a loss before that is not a gap`()
    throws
  {
    let port = CapturePort(of: speech)
    for lost in [320, 160] { write(160, lost: lost, to: port) }
    port.conclude(nil)
    let consumer = try LoggingConsumer()
    try port.drain(into: consumer) {}
    #expect(consumer.blocks.map(\.buffer.firstFrame) == [0, 320])
    #expect(consumer.blocks.map(\.gap?.lost) == [nil, 160])
  }

  @Test func `a port ends with its error after its last block, unless it was stopped`() throws {
    for isStopped in [false, true] {
      let port = CapturePort(of: speech)
      if isStopped { port.stop() }
      write(160, to: port)
      port.conclude(SoundCardError.deviceLost("port"))
      let consumer = try LoggingConsumer()
      let drained = Result { try port.drain(into: consumer) {} }
      #expect(consumer.blocks.count == 1)
      #expect(drained.failure == (isStopped ? nil : .deviceLost("port")))
    }
  }

  @Test
  func `a finished or failed consumer gets no further blocks`()
    throws
  {
    for fails in [false, true] {
      let port = CapturePort(of: speech)
      for _ in 0..<5 { write(160, to: port) }
      let consumer = try LoggingConsumer(most: 2, fails: fails)
      let drained = Result { try port.drain(into: consumer) {} }
      #expect(consumer.blocks.count == 2)
      #expect(drained.failure == (fails ? .deviceLost("consumer") : nil))
    }
  }

  @Test func `a reader that makes room notifies the audio thread only on request`() throws {
    let port = CapturePort(of: speech)
    for _ in 0..<2 { write(160, to: port) }
    port.roomRequest.make()
    port.conclude(nil)
    var calls = 0
    try port.drain(into: try LoggingConsumer()) { calls += 1 }
    #expect(calls == 1)
  }
}

extension Result<Void, any Error> {
  fileprivate var failure: SoundCardError? {
    if case .failure(let error) = self { error as? SoundCardError } else { nil }
  }
}

/// Records blocks until it has the requested number, and then ends the capture or throws.
private final class LoggingConsumer: CaptureConsumer {
  let converter: CaptureConverter
  var batchDuration = Duration.zero
  var willProcess: () -> Void = {}
  private(set) var blocks: [CapturedAudio] = []
  private(set) var numbers: [Int] = []
  private let most: Int
  private let fails: Bool

  init(most: Int = .max, fails: Bool = false) throws {
    (self.most, self.fails) = (most, fails)
    converter = try CaptureConverter(nil, of: .speech, to: .speech)
  }

  func process(_ block: CapturedAudio, number: Int) throws -> Bool {
    willProcess()
    blocks.append(block)
    numbers.append(number)
    if blocks.count >= most, fails { throw SoundCardError.deviceLost("consumer") }
    return blocks.count < most
  }

  func finish() {}
}
