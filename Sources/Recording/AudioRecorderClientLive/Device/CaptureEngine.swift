import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// One open capture device, its audio thread, and the thread of its consumer.
final class CaptureEngine: Sendable {
  let configuration: PCMConfiguration
  private let pcm: MonitoredCapture
  private let link: CaptureLink
  // Written by the consumer's thread, and read by it when the device is lost.
  private let withoutAudio = Mutex(Duration.zero)
  private let lockstep: Lockstep?

  /// - Parameter lockstep: the lockstep of a virtual card, which waits for the consumer.
  init(pcm: any CapturePCM, lockstep: Lockstep? = nil) throws(WakeUpError) {
    self.pcm = MonitoredCapture(pcm)
    self.lockstep = lockstep
    configuration = pcm.configuration
    link = try CaptureLink(device: pcm.configuration, lockstep: lockstep)
  }

  /// Captures until `stop`, until the consumer wants no more, or until the device ends or fails, then
  /// closes the device.
  ///
  /// The calling thread becomes the consumer's. The consumer gets the audio captured before an error
  /// and is finished in any case, before the error is thrown.
  func run(_ consumer: some CaptureConsumer) throws {
    let outcome = Result { try capture(into: consumer) }
    let finishing = Result { try consumer.finish() }
    try outcome.get()
    try finishing.get()
  }

  /// The time since the last captured frame when the loss of the device was noticed.
  var timeWithoutAudio: Duration { withoutAudio.withLock { $0 } }

  /// How often the consumer was woken, in lockstep.
  var wakeUpCount: Int? { link.hold?.count }

  /// Returns when someone nudges the engine; for the consumer's thread while the device is lost.
  ///
  /// - Parameter count: how often the consumer had been woken when it looked for something to do.
  func waitForNudge(since count: Int?) {
    link.hold?.end(at: count)
    link.consumerWakeUp.wait()
  }

  /// Holds the time of a virtual card until the consumer waits for audio.
  func holdTime() {
    link.hold?.begin()
  }

  /// Lets the time of a virtual card go on: the consumer has ended.
  func releaseTime() {
    link.hold?.end()
  }

  /// Ends the capture, from any thread; audio captured so far is delivered.
  func stop() {
    link.stop()
    pcm.waker.signal()
  }

  /// Asks the consumer whether it wants more, from any thread.
  func nudge() {
    link.wakeConsumer()
  }

  /// The number of blocks that the audio thread has delivered so far; from any thread.
  var blockCount: Int { link.blocks.totalWritten }

  /// Closes the device, even if nothing was captured; closing twice is harmless.
  ///
  /// The audio thread closes a device that is lost or does not respond, when its call returns.
  func close() {
    guard !pcm.monitor.heartbeat.isAbandoned else { return }
    pcm.close()
  }

  private func capture(into consumer: some CaptureConsumer) throws {
    let audioThreadEnded = try startAudioThread()
    defer {
      stop()
      wait(for: audioThreadEnded)
    }
    try pass(to: consumer)
  }

  /// Returns when the audio thread has ended or has been abandoned.
  private func wait(for ended: WakeUp) {
    var watch = HeartbeatWatch()
    while !pcm.monitor.heartbeat.isAbandoned, link.ending == nil {
      _ = try? pcm.monitor.wait(for: ended, &watch, isEnding: true)
    }
  }

  /// Starts the audio thread and returns what it signals at its end.
  private func startAudioThread() throws -> WakeUp {
    let ended = try WakeUp()
    let starting = TimeHold(lockstep, "a starting capture")
    starting?.begin()
    _ = try DedicatedThread.start(name: "syrinx-capture") { [pcm, link] in
      pcm.adoptThread()
      starting?.end()
      let outcome = Result { () throws(SoundCardError) in
        try CaptureThread(pcm: pcm, link: link).run()
      }
      let time = pcm.elapsed
      pcm.close(after: outcome) { outcome in
        // After a stop, a failure does not matter: the capture was to end anyway.
        link.end(link.isStopping ? .success(()) : outcome, at: time)
        ended.signal()
      }
    }
    return ended
  }

  /// Passes blocks on until there are no more, or the consumer wants no more.
  private func pass(to consumer: some CaptureConsumer) throws {
    var watch = HeartbeatWatch()
    var reader = BlockReader(format: configuration.format)
    var lastBlock = ContinuousClock.now
    while true {
      let wakeUps = link.hold?.count
      consumer.beginRound()
      // Read before the blocks: after the end, the ring holds all that there will be.
      let ending = link.ending
      // Blocks captured later belong to the next round: a consumer slower than the device would
      // never reach the end of this one.
      let end = link.blocks.totalWritten
      while reader.nextNumber < end,
        let captured = reader.next(from: link, joining: samples(of: consumer.batchDuration))
      {
        if link.roomRequest.take() { pcm.waker.signal() }
        lastBlock = .now
        guard try consumer.take(captured) else { return }
      }
      if let ending {
        withoutAudio.withLock { $0 = max(.zero, link.endedAt - reader.nextTime) }
        return try ending.get()
      }
      // A consumer that was stopped still gets what the device holds.
      guard try link.isStopping || consumer.endRound() else { return }
      link.wake(for: samples(of: consumer.batchDuration))
      // The threshold is lower now: blocks may be due that woke no thread.
      if link.isDue { continue }
      // After a stop, the audio thread is about to end.
      if !link.isStopping { link.hold?.end(at: wakeUps) }
      do throws(SoundCardError) {
        _ = try pcm.monitor.wait(
          for: link.consumerWakeUp, &watch, isEnding: link.isStopping)
      } catch {
        // The capture was to end anyway.
        if link.isStopping { return }
        withoutAudio.withLock { $0 = lastBlock.duration(to: .now) }
        throw error
      }
    }
  }

  private func samples(of duration: Duration) -> Int {
    let format = configuration.format
    return FrameCount(duration, at: format.sampleRate).rawValue * format.channelCount
  }
}
