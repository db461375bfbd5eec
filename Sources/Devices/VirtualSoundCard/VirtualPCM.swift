public import AudioCore
import AudioThreads
public import SoundCard

extension VirtualDevice: PCM {
  func adoptThread() { leave() }

  func start() throws(SoundCardError) {
    try enter(.start)
    try withOpen { transfer in
      transfer.start()
      if isUntimed, direction == .playback { transfer.tick(transfer.level) }
    }
  }

  func drop() {
    block(in: .drop)
    retract(with { $0.drop() + $0.popDiscarded() })
  }

  func close() {
    block(in: .close)
    end()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    defer { retract(with { $0.popDiscarded() }) }
    return try sleep(for: interest, atMost: timeout)
  }

  /// Blocks or fails a call as scripted.
  private func enter(_ call: PCMCall) throws(SoundCardError) {
    block(in: call)
    if let error = with({ $0.failure(in: call) }) { throw error }
  }

  /// Blocks the calling thread as scripted for this call.
  private func block(in call: PCMCall) {
    guard let time = with({ $0.block(in: call) }) else { return }
    if isUntimed, time < VirtualScript.forever { return pass(time) }
    let end = elapsed + time
    ticks.clear()
    card.beginBlock(in: call, ticks)
    while isOpen, !card.areCallsReleased, elapsed < end {
      arrive()
      ticks.wait()
    }
    card.endBlock(ticks)
    leave()
  }

  private func sleep(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    block(in: .wait)
    if let time = timePassing(interest, timeout) {
      if let wakeUp = try poll(interest) { return wakeUp }
      repeat { pass(time) } while with { $0.isAsleep }
      return try poll(interest) ?? .timedOut
    }
    let deadline = timeout.map { elapsed + $0 }
    while true {
      if let wakeUp = try poll(interest) { return wakeUp }
      // While the device resumes, the timeout does not apply; only the waker ends the wait.
      if let deadline, elapsed >= deadline, !with({ $0.isAsleep }) { return .timedOut }
      arrive(
        forCard: waitsForCard(interest, timeout), rests: interest == .nothing && timeout == nil)
      let isSignaled = waker.wait(or: ticks)
      leave()
      if isSignaled { return try poll(interest) ?? .woken }
    }
  }

  private func poll(_ interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    if let error = with({ $0.isGone ? nil : $0.failure(in: .wait) }) { throw error }
    return try withOpen { $0.poll(interest) }
  }

  /// Returns the time by which this wait advances an untimed card; nil if the wait advances no
  /// time.
  ///
  /// The time of an untimed card advances only by transfers and waits.
  private func timePassing(_ interest: PCMInterest, _ timeout: Duration?) -> Duration? {
    guard isUntimed, waitsForCard(interest, timeout) else { return nil }
    return interest == .period ? period : timeout
  }

  private func pass(_ time: Duration) {
    let frames = FrameCount(time, at: configuration.format.sampleRate)
    with { $0.pass(max(1, frames)) }
  }

  /// Whether a wait with this interest and timeout is only for the card, and for nothing else.
  ///
  /// With interest `.nothing`, a short timeout means that the engine waits until audio is played or
  /// captured, or until it can retry a refused transfer. A long timeout, or none, means that the
  /// engine waits for its source or consumer. A capture that waits for frames has a timeout of at
  /// most half of the buffer's duration.
  private func waitsForCard(_ interest: PCMInterest, _ timeout: Duration?) -> Bool {
    guard interest == .nothing else { return true }
    guard let timeout else { return false }
    let buffer = configuration.buffer.duration(at: configuration.format.sampleRate)
    return timeout <= (direction == .playback ? buffer + .seconds(1) : buffer / 2)
  }

  private var period: Duration {
    configuration.period.duration(at: configuration.format.sampleRate)
  }
}

extension VirtualDevice: PlaybackPCM {
  var timeUntilUnderrun: Duration {
    switch pace {
    case .clock: with { $0.level }.duration(at: configuration.format.sampleRate)
    // With these paces, the card never underruns, because its time waits for the engine.
    case .lockstep, .untimed: .seconds(3_600)
    }
  }

  func delay() throws(SoundCardError) -> FrameCount {
    try enter(.delay)
    return try withOpen { $0.delay() }
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try enter(.transfer)
    retract(with { $0.popDiscarded() })
    let channels = configuration.format.channelCount
    let offered = FrameCount(samples.count / channels)
    let outcome = try withOpen { transfer -> PCMTransfer in
      if let interruption = transfer.popInterruption() { return .interrupted(interruption) }
      let taken = transfer.write(offered)
      if isUntimed { transfer.tick(taken) }
      return .frames(taken)
    }
    guard case .frames(let taken) = outcome else { return outcome }
    keep(UnsafeBufferPointer(rebasing: samples[..<(taken.rawValue * channels)]))
    return outcome
  }
}

extension VirtualDevice: CapturePCM {
  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try enter(.transfer)
    let channels = configuration.format.channelCount
    let room = FrameCount(samples.count / channels)
    if let interruption = try withOpen({ $0.popInterruption() }) {
      return .interrupted(interruption)
    }
    let (count, first, time) = try withOpen {
      let (count, first) = $0.read(room)
      return (count, first, $0.time(of: first))
    }
    guard count > 0, let fill else { return .frames(0) }
    let wanted = UnsafeMutableBufferPointer(rebasing: samples[..<(count.rawValue * channels)])
    let captured = try fill(wanted, first)
    let audible = UnsafeMutableBufferPointer(rebasing: wanted[..<(captured.rawValue * channels)])
    card.addEchoes(to: audible, configuration.format, at: time)
    if captured < count {
      with { transfer in
        transfer.hasEnded = true
        _ = transfer.drop()
      }
    }
    return .frames(captured)
  }
}

/// The signal of a virtual microphone.
public struct VirtualMicrophone: Sendable {
  /// Fills interleaved samples from the given frame on and returns the number of frames filled.
  ///
  /// Fewer frames than requested end the capture, and an error fails it.
  public typealias Fill =
    @Sendable (_ samples: UnsafeMutableBufferPointer<Float>, _ firstFrame: FrameCount)
    throws(SoundCardError) -> FrameCount

  /// The microphone's format, or nil for any.
  public let format: AudioFormat?

  /// Makes the fill function of one capture; every capture starts at frame 0.
  let makeFill: @Sendable (AudioFormat) throws -> Fill

  /// The delay and the gain of each path from the card's playback.
  private(set) var echoes: [(delay: Duration, gain: Float)] = []

  /// Creates a microphone; `makeFill` is called at each opening with the negotiated format.
  public init(
    format: AudioFormat? = nil, _ makeFill: @escaping @Sendable (AudioFormat) throws -> Fill
  ) {
    self.format = format
    self.makeFill = makeFill
  }

  /// A microphone that captures an endless signal in any format.
  public static func signal(_ signal: AudioSignal) -> VirtualMicrophone {
    VirtualMicrophone { format in
      { samples, firstFrame in
        let frames = FrameCount(samples.count / format.channelCount)
        _ = samples.update(
          fromContentsOf: signal.buffer(frames, format: format, firstFrame: firstFrame).samples)
        return frames
      }
    }
  }

  /// A microphone that also captures the card's playback, like a microphone near a loudspeaker.
  ///
  /// To add another reflection, pass a loopback as `microphone`.
  ///
  /// The card has one rate for both directions: its own, that of the microphone, or 48 kHz. The
  /// card keeps the samples that it plays, and its pace must not be `.untimed`.
  ///
  /// - Parameters:
  ///   - delay: the time from the loudspeaker to the microphone. If it is shorter than 10 ms or, in
  ///     lockstep, than the playback's period, the beginning of a sound may be missing.
  ///   - gain: the factor of the played samples; their channels are averaged.
  ///   - microphone: the signal of the room itself.
  public static func loopback(
    delay: Duration, gain: Float = 1, over microphone: VirtualMicrophone = .signal(.silence)
  ) -> VirtualMicrophone {
    var loopback = microphone
    loopback.echoes.append((delay, gain))
    return loopback
  }

  /// A microphone that captures a buffer once, in the buffer's format, and then ends.
  public static func buffer(_ buffer: AudioBuffer) -> VirtualMicrophone {
    VirtualMicrophone(format: buffer.format) { format in
      { samples, firstFrame in
        let room = FrameCount(samples.count / format.channelCount)
        let start = min(firstFrame, buffer.frameCount)
        let end = min(start + room, buffer.frameCount)
        let channels = format.channelCount
        _ = samples.update(
          fromContentsOf: buffer.samples[start.rawValue * channels..<end.rawValue * channels])
        return end - start
      }
    }
  }
}
