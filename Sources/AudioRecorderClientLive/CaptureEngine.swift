import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// What takes the audio of a capture, on a thread of its own where it may block.
protocol CaptureConsumer: AnyObject {
  /// Takes a block; false where it wants no more.
  func take(_ captured: DeviceAudio) throws -> Bool

  /// Has taken all that is there so far; false where it wants no more.
  func takeRest() throws -> Bool

  /// Completes the work: nothing follows.
  func finish() throws
}

extension CaptureConsumer {
  func takeRest() -> Bool { true }
}

/// A block in the device's format.
struct DeviceAudio: Sendable {
  /// The frames; `firstFrame` counts those that were lost.
  var buffer: AudioBuffer
  /// When the first frame was captured, in the device's time.
  var time: Duration
  /// The frames that were lost right before it.
  var lost: FrameCount
}

/// One open capture device, its card's thread and the thread of its consumer.
final class CaptureEngine: Sendable {
  let configuration: PCMConfiguration
  private let pcm: MonitoredCapture
  private let link: CaptureLink

  init(pcm: any CapturePCM) throws(WakeUpError) {
    self.pcm = MonitoredCapture(pcm)
    configuration = pcm.configuration
    link = try CaptureLink(device: pcm.configuration)
  }

  /// Captures until `stop`, the consumer's wish, the device's end or an error, then closes the
  /// device.
  ///
  /// It runs on the calling thread, which becomes the consumer's. What was captured before an error
  /// is given to the consumer, and the consumer is finished in any case, before the error is thrown.
  func run(_ consumer: some CaptureConsumer) throws {
    let outcome = Result { try capture(into: consumer) }
    let finishing = Result { try consumer.finish() }
    try outcome.get()
    try finishing.get()
  }

  /// Ends the capture, from any thread; what has been heard by then is still delivered.
  func stop() {
    link.stop()
    pcm.waker.signal()
  }

  /// Has the consumer asked whether it wants more, from any thread.
  func nudge() {
    link.news.signal()
  }

  /// Gives the device back, also without having captured anything; again is harmless.
  ///
  /// A device that hangs is closed by its own thread, when its call returns.
  func close() {
    guard !pcm.monitor.heartbeat.isAbandoned else { return }
    pcm.close()
  }

  private func capture(into consumer: some CaptureConsumer) throws {
    let cardThreadEnded = try startCardThread()
    defer {
      stop()
      wait(for: cardThreadEnded)
    }
    try pass(to: consumer)
  }

  /// Returns when the card's thread has ended or has been abandoned.
  private func wait(for ended: WakeUp) {
    var watch = HeartbeatWatch()
    while !pcm.monitor.heartbeat.isAbandoned, link.ending == nil {
      _ = pcm.monitor.wait(for: ended, &watch)
    }
  }

  /// Starts the card's thread and returns what it signals at its end.
  private func startCardThread() throws -> WakeUp {
    let ended = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-capture") { [pcm, link] in
      let outcome = Self.capture(pcm, link)
      pcm.close()
      link.end(outcome)
      ended.signal()
    }
    return ended
  }

  private static func capture(
    _ pcm: any CapturePCM, _ link: CaptureLink
  ) -> Result<Void, any Error> {
    do throws(SoundCardError) {
      try CaptureThread(pcm: pcm, link: link).run()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Hands over blocks until there are no more, or the consumer wants no more.
  private func pass(to consumer: some CaptureConsumer) throws {
    var watch = HeartbeatWatch()
    var reader = BlockReader(format: configuration.format)
    while true {
      // Looked at before the blocks: what is there after the end is all that there will be.
      let ending = link.ending
      while let captured = reader.next(from: link) {
        if link.roomWish.take() { pcm.waker.signal() }
        guard try consumer.take(captured) else { return }
      }
      if let ending { return try ending.get() }
      guard try consumer.takeRest() else { return }
      guard let error = pcm.monitor.wait(for: link.news, &watch) else { continue }
      // Who wanted it to end has what they wanted.
      if link.isStopping { return }
      throw error
    }
  }
}

/// Reads blocks out of the link and numbers their frames.
struct BlockReader {
  private let format: AudioFormat
  private var nextFrame: FrameCount = 0

  init(format: AudioFormat) {
    self.format = format
  }

  mutating func next(from link: CaptureLink) -> DeviceAudio? {
    guard let block = link.blocks.tryRead() else { return nil }
    let samples = [Float](unsafeUninitializedCapacity: block.sampleCount) { target, count in
      count = link.samples.tryRead(
        into: UnsafeMutableBufferPointer(rebasing: target[..<block.sampleCount]))
    }
    let lost = FrameCount(block.lostFrames)
    let buffer = AudioBuffer(format: format, samples: samples, firstFrame: nextFrame + lost)
    nextFrame = buffer.endFrame
    return DeviceAudio(buffer: buffer, time: .nanoseconds(block.nanoseconds), lost: lost)
  }
}
