import AudioCore
import AudioThreads
import SoundCard

/// The card's thread of a playback engine: it mixes the voices into one PCM, a period at a time.
///
/// From `run` on it neither allocates nor takes a lock. A sound ends when its last frame has been
/// heard, and the PCM is drained by position, never by a call that could hang. Where one hangs all
/// the same, the thread is abandoned in it, and another one goes on with what it worked on: after a
/// call that throws, nothing here is touched.
// `@unchecked Sendable` is right because it belongs to one thread at a time: to that of the device
// that is open, and while the device is lost to the reporter's. `Heartbeat` hands it over.
final class CardThread: @unchecked Sendable {
  /// The device that is open.
  var pcm: any PlaybackPCM
  let link: CardLink
  let configuration: PCMConfiguration
  let voices = VoiceTable()
  let block: MixBuffer
  let unheard: UnheardFrames
  let rate: SampleRate
  let period: Int
  let channels: Int
  let fadeFrames: Int
  let rampFrames: Int
  let periodLength: Duration
  let longestWait: Duration
  var position = HeardPosition()
  var master: GainRamp
  var limiter: Limiter
  var limiting: LimitingReport
  var drainClock: DrainClock?
  var leastDelay: LeastDelay
  var stall: StallWatch
  var reportedAt = 0
  /// What was written when the device was last asked where it is.
  var lookedAt = 0
  /// What was written when the device was empty and began.
  private var startedAt = 0
  /// The periods between two such looks where nobody needs more.
  static let seldom = 4
  /// What had been heard of a device that has been lost, and of which nothing has been heard since.
  var lostAt: Int?
  private var isOver = false

  init(pcm: any PlaybackPCM, link: CardLink) {
    self.pcm = pcm
    self.link = link
    configuration = pcm.configuration
    rate = configuration.format.sampleRate
    period = configuration.period.rawValue
    channels = configuration.format.channelCount
    periodLength = configuration.period.duration(at: rate)
    block = MixBuffer(frames: period, format: configuration.format)
    unheard = UnheardFrames(
      capacity: configuration.buffer.rawValue * 4, channels: channels)
    fadeFrames = FrameCount(.milliseconds(10), at: rate).rawValue
    rampFrames = FrameCount(.milliseconds(20), at: rate).rawValue
    longestWait = configuration.buffer.duration(at: rate) * 2
    stall = StallWatch(
      patience: longestWait + .milliseconds(250), longestWait: longestWait)
    master = GainRamp(link.volume.gain)
    leastDelay = LeastDelay(buffer: configuration.buffer, rate: rate)
    limiter = Limiter(rate: rate)
    limiting = LimitingReport(interval: rate.hertz)
  }

  /// Serves the device until the engine quits; throws where the device is lost.
  func run() throws(SoundCardError) {
    while takeCommands() {
      if block.unwritten.count > 0 || unheard.backlog > 0 || hasSound {
        try serve()
      } else if voices.count > 0 {
        try drain()
      } else {
        try rest()
      }
      try observe()
    }
  }

  /// Whether there is more to do than to end.
  func takeCommands() -> Bool {
    while !isOver, let command = link.commands.tryRead() {
      switch command {
      case .add(let voice): voices.add(voice)
      case .quit: isOver = true
      }
    }
    return !isOver
  }

  /// Whether a voice has not been mixed to its end.
  private var hasSound: Bool {
    for index in 0..<voices.count where voices[index].position.endsAt == nil { return true }
    return false
  }

  /// Mixes when the device has room for a period, and no sooner: what is wished until then is heard
  /// in it.
  private func serve() throws(SoundCardError) {
    drainClock = nil
    let limit = stall.nextWait(atMost: longestWait)
    guard case .ready(let room) = try watchedWait(for: .period, atMost: limit) else {
      return try considerStall()
    }
    if unheard.backlog > 0 { return try writeAgain() }
    if block.unwritten.count == 0 {
      // What came while the device was waited for is taken first.
      if link.commands.readable > 0 { return }
      attend()
      if isStarving, let slack = try slackForTheSource() {
        link.sourceWish.make()
        // The source may have given more before its feeder could see the wish.
        guard isStarving else { return }
        if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: slack) {
          handle(interruption)
        }
        return
      }
      mix()
    }
    let before = position.written
    try write()
    try rest(room: room.rawValue - (position.written - before))
  }

  private func write() throws(SoundCardError) {
    try offer(block.unwritten) { count in
      keepUnheard(UnsafeBufferPointer(rebasing: block.unwritten[..<(count * channels)]))
      block.wrote(count)
    }
  }

  /// Offers samples to the device, and says how many frames it took.
  func offer(
    _ samples: UnsafeBufferPointer<Float>, _ took: (Int) -> Void
  ) throws(SoundCardError) {
    switch try pcm.write(samples) {
    case .frames(0):
      guard stall.refused() else { return }
      _ = try watchedWait(for: .nothing, atMost: periodLength / 4)
      try considerStall()
    case .frames(let count):
      took(count.rawValue)
      leastDelay.wrote(count)
      position.write(count.rawValue)
      stall.progressed(isRunning: position.written - startedAt > configuration.buffer.rawValue)
    case .interrupted(let interruption):
      stall.interrupted()
      handle(interruption)
      try considerStall()
    }
  }

  /// Waits for the device and takes note of what that says about it.
  private func watchedWait(
    for interest: PCMInterest, atMost timeout: Duration
  ) throws(SoundCardError) -> PCMWakeUp {
    let before = pcm.elapsed
    let wakeUp = try pcm.wait(for: interest, atMost: timeout)
    stall.waited(pcm.elapsed - before, atMost: timeout, isCutShort: wakeUp == .woken)
    switch wakeUp {
    case .ready(let room): leastDelay.saw(room: room, at: pcm.elapsed)
    case .woken, .timedOut, .ended: break
    case .interrupted(let interruption):
      stall.interrupted()
      handle(interruption)
    }
    return wakeUp
  }

  /// The device is empty and has to begin: what it takes until it is full says nothing of it.
  func beginAnew() {
    stall.progressed(isRunning: false)
    leastDelay.forget()
    startedAt = position.written
  }

  /// Nothing sounds: the device stops and the thread sleeps until it is told something.
  private func rest() throws(SoundCardError) {
    try pcm.drop()
    unheard.forget()
    position.finish()
    drainClock = nil
    master = GainRamp(link.volume.gain)
    limiter = Limiter(rate: rate)
    block.rest()
    _ = try pcm.wait(for: .nothing, atMost: nil)
    beginAnew()
  }
}
