import AudioCore
import AudioRecorderClient
import AudioThreads

/// Reads the blocks of a port.
///
/// Frame numbers begin at 0 each time the device is opened.
struct BlockReader {
  private let port: CapturePort
  private var nextFrame: FrameCount = 0
  /// The number of blocks that were read.
  private(set) var blockCount = 0
  /// Whether frames have been read since the device was opened; a loss before the first frames is
  /// not a gap.
  private var hasBegun = false
  /// The next block, if it has already been removed from the ring.
  private var upcoming: CapturePort.Block?

  init(_ port: CapturePort) {
    self.port = port
  }

  /// Passes the waiting blocks to the consumer; later blocks are left for the next call.
  ///
  /// `madeRoom` is called when the audio thread waits for room.
  ///
  /// - Returns: false after the last block of an ended port, and if the consumer ends the capture.
  /// - Throws: the consumer's error, or the error that ended the port.
  mutating func read(into consumer: any CaptureConsumer, madeRoom: () -> Void) throws -> Bool {
    // Read this before the blocks: if the port has already ended, the ring contains all of the
    // port's blocks.
    let ending = port.ending
    // Leave later blocks for the next call. Otherwise, blocks that arrive as fast as they are read
    // would keep the thread from serving other ports.
    let last = port.blocks.totalWritten
    while blockCount < last {
      let number = blockCount
      guard let block = next(joining: samples(of: consumer.batchDuration)) else { break }
      let wantsMore = try pass(block, number: number, to: consumer, madeRoom: madeRoom)
      guard wantsMore else { return false }
    }
    guard let ending else { return true }
    _ = try consumer.processRest(number: blockCount)
    try ending.get()
    return false
  }

  /// Passes a block to the consumer; returns false if the consumer ends the capture.
  private mutating func pass(
    _ block: CapturePort.Block, number: Int, to consumer: any CaptureConsumer,
    madeRoom: () -> Void
  ) throws -> Bool {
    switch block.kind {
    case .deviceLost: return try consumer.processRest(number: 0) && consumer.deviceLost()
    case .deviceReturned:
      (nextFrame, hasBegun) = (0, false)
      consumer.converter.deviceReturned(after: .nanoseconds(block.nanoseconds))
      return true
    case .frames:
      let captured = audio(block)
      if port.roomRequest.consume() { madeRoom() }
      let converter = consumer.converter
      if let gap = converter.gapEnding(with: captured) { consumer.deviceReturned(after: gap) }
      for converted in try converter.process(captured) {
        guard try consumer.process(converted, number: number) else { return false }
      }
      return true
    }
  }

  /// Returns the next block, joined with the blocks that follow it without a loss, up to `limit`
  /// samples; the samples stay in their ring.
  mutating func next(joining limit: Int = 0) -> CapturePort.Block? {
    guard var block = upcoming.take() ?? port.blocks.tryRead() else { return nil }
    blockCount += 1
    guard block.kind == .frames else { return block }
    while block.sampleCount < limit, let following = port.blocks.tryRead() {
      guard following.kind == .frames, following.lostFrames == 0 else {
        upcoming = following
        break
      }
      block.sampleCount += following.sampleCount
      block.nonFinite += following.nonFinite
      blockCount += 1
    }
    return block
  }

  /// Removes a block's samples from their ring, and returns the block as audio with timestamps.
  mutating func audio(_ block: CapturePort.Block) -> CapturedAudio {
    let samples = [Float](unsafeUninitializedCapacity: block.sampleCount) { target, count in
      count = port.samples.tryRead(
        into: UnsafeMutableBufferPointer(rebasing: target[..<block.sampleCount]))
    }
    let lost = hasBegun ? FrameCount(block.lostFrames) : 0
    var buffer = AudioBuffer(
      format: format(of: block), samples: samples, firstFrame: nextFrame + lost)
    buffer.hostTime = port.beginning + .nanoseconds(block.hostNanoseconds)
    (nextFrame, hasBegun) = (buffer.endFrame, true)
    return CapturedAudio(
      buffer: buffer, time: .nanoseconds(block.nanoseconds),
      gap: lost > 0 ? CaptureGap(lost: lost) : nil, nonFiniteCount: block.nonFinite)
  }

  private func format(of block: CapturePort.Block) -> AudioFormat {
    let first = port.format
    let isFirst =
      block.hertz == first.sampleRate.hertz && block.channelCount == first.channelCount
    return isFirst
      ? first
      : AudioFormat(
        sampleRate: SampleRate(hertz: block.hertz), channelCount: block.channelCount)
  }

  /// Defers wake-ups until the consumer's next batch is complete; false if it is complete already.
  func canWait(for consumer: any CaptureConsumer) -> Bool {
    port.deferWakeUps(for: samples(of: consumer.batchDuration))
    // If the threshold has been lowered, the ring may already hold enough samples without having
    // woken the reader.
    return !port.isDue
  }

  private func samples(of duration: Duration) -> Int {
    FrameCount(duration, at: port.format.sampleRate).rawValue * port.format.channelCount
  }
}

extension CaptureConsumer {
  /// Processes the frames held by the converter; returns false to end the capture.
  fileprivate func processRest(number: Int) throws -> Bool {
    try converter.flush().map { try process($0, number: number) } ?? true
  }
}
