import AudioCore
import AudioThreads
import SoundCard

/// The audio thread of a playback device: mixes the voices and writes them, one period at a time.
///
/// From `run` on it neither allocates nor takes a lock. A sound ends when its last frame has been
/// played. To detect this, the thread follows the playhead; it never drains the device with a
/// blocking call, which could hang. If another call hangs, its thread is abandoned, and another
/// thread continues with this object. The abandoned thread must not touch this object when the call
/// finally throws.
// `@unchecked Sendable` is right because this object belongs to one thread at a time: the open
// device's thread or, while the device is lost, the control thread. `Heartbeat` hands it over.
final class PlaybackThread: PortServer, @unchecked Sendable {
  static let threadName = "syrinx-play"

  let link: DeviceLink<Voice>
  /// Set while the audio thread waits for a late source.
  let sourceRequest = WakeUpRequest()
  let configuration: PCMConfiguration
  private var pcm: any PlaybackPCM
  private let voices: VoiceTable
  private let mixer: Mixer
  private let unplayed: UnplayedFrames
  private let tap: MixTap?
  private let rate: SampleRate
  private let period: Int
  private let periodLength: Duration
  private let bufferLength: Duration
  private let longestWait: Duration
  private var playhead: DevicePlayhead
  private var stall: StallWatch
  private var isDraining = false
  /// The shortest time until a voice's deadline; nil if no voice has a deadline.
  private var timeToDeadline: Duration?
  private var reportedAt = 0
  /// The number of frames that had been written when the device's delay was last read.
  private var observedAt = 0
  /// The number of frames that had been written when the device was last empty.
  private var startedAt = 0
  /// `written` is the number of frames written before the device began to serve the present voices;
  /// `discarded` is the number of frames that the device has discarded since then.
  private var sinceBegin = (written: 0, discarded: 0)
  /// The number of frames that had been played when the device was lost; nil once a returned device
  /// has played.
  private var lostAt: Int?

  /// The number of periods between reads of the delay while progress is seldom reported.
  private static let seldom = 4
  /// The longest device buffer that is played to its end after a stop with the shortest fade; a
  /// longer buffer is discarded.
  private static let longestUncutBuffer = Duration.seconds(1)

  init(
    pcm: any PlaybackPCM, link: DeviceLink<Voice>, volume: BusVolume, tap: MixTap? = nil
  ) {
    (self.pcm, self.tap) = (pcm, tap)
    self.link = link
    voices = link.ports
    configuration = pcm.configuration
    let format = configuration.format
    rate = format.sampleRate
    period = configuration.period.rawValue
    periodLength = configuration.period.duration(at: rate)
    bufferLength = configuration.buffer.duration(at: rate)
    longestWait = bufferLength * 2
    mixer = Mixer(period: period, format: format, events: link.events, volume: volume)
    unplayed = UnplayedFrames(
      capacity: configuration.buffer.rawValue * 4, channels: format.channelCount)
    playhead = DevicePlayhead(buffer: configuration.buffer, rate: rate)
    stall = StallWatch(
      lateAfter: longestWait + .milliseconds(250), longestWait: longestWait,
      patience: configuration.patience)
  }

  /// Serves the device until `quit`; throws if the device is lost.
  func run() throws(SoundCardError) {
    while link.performCommands() {
      let before = playhead.written
      if mayCutShort {
        try cutShort()
      } else if mixer.unwritten.count > 0 || unplayed.backlog > 0 || voices.soundingCount > 0 {
        try serve()
      } else if voices.count > 0 {
        try drain()
      } else {
        try rest()
      }
      try observe()
      // Feeders read the observation during this sleep.
      if playhead.written > before { try skipWakeUps() }
    }
  }

  // MARK: While the device is lost

  /// Records that the device is lost.
  ///
  /// Time stands still for the voices until the device returns. The unplayed frames are then
  /// written first.
  func lose(at time: Duration?) {
    // If `hasPlayed` is false, the frames missing from the delay were discarded rather than played,
    // so all frames are written again.
    let frames = hasPlayed ? playhead.unplayed : playhead.written - sinceBegin.written
    playhead.lose(keeping: unplayed.rewind(frames))
    (isDraining, observedAt, lostAt) = (false, playhead.written, playhead.played)
  }

  /// Applies commands at once while the device is lost; returns false after `quit`.
  func serveInSilence() -> Bool {
    guard link.performCommands() else { return false }
    voices.settleInSilence(link.events)
    return true
  }

  /// Continues on an open device, which must have the format of the mix.
  func begin(on device: MonitoredPlayback, after gap: Duration) throws(SoundCardError) {
    let found = device.configuration
    guard found.format == configuration.format else {
      let change = "it returned with \(found.format) instead of \(configuration.format)"
      throw .unsupported(found.device, reason: "it was lost, and \(change)")
    }
    pcm = device
    markEmpty()
  }

  // MARK: One step

  /// Mixes a block once the device has room for it, and no sooner, so that the block uses the
  /// newest parameters.
  private func serve() throws(SoundCardError) {
    isDraining = false
    let limit = stall.nextWait(atMost: longestWait)
    guard case .ready = try watchedWait(for: .period, atMost: limit) else {
      return try considerStall()
    }
    if unplayed.backlog > 0 {
      return try write(unplayed.next(atMost: period)) { unplayed.advance($0) }
    }
    if mixer.unwritten.count == 0 {
      // Commands that arrived during the wait are applied first.
      if link.hasCommands { return }
      voices.applyParameters()
      if try waitForSource() { return }
      mixer.mix(voices, at: playhead.written, held: playhead.held)
    }
    let before = playhead.written
    try write(mixer.unwritten) { count in
      keep(count)
      let samples = mixer.unwritten[..<(count * configuration.format.channelCount)]
      tap?.tryWrite(UnsafeBufferPointer(rebasing: samples), at: before)
      mixer.wrote(count)
    }
  }

  /// Waits for a late source until the device is nearly empty; returns false if there is nothing to
  /// wait for or no time left.
  private func waitForSource() throws(SoundCardError) -> Bool {
    guard voices.areStarving(period: period, held: playhead.held) else { return false }
    let slack = try pcm.timeUntilUnderrun - periodLength
    guard slack > .milliseconds(1) else { return false }
    sourceRequest.make()
    // The feeder may have written before it could see the request, so check again.
    guard voices.areStarving(period: period, held: playhead.held) else { return true }
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: slack) {
      handle(interruption)
    }
    return true
  }

  /// Keeps frames that the device accepted, in case the device is lost and a voice waits for its
  /// return.
  private func keep(_ frames: Int) {
    guard voices.areWaitingForLostDevice else { return unplayed.forget() }
    let count = frames * configuration.format.channelCount
    unplayed.keep(UnsafeBufferPointer(rebasing: mixer.unwritten[..<count]))
  }

  /// Writes samples to the device; passes the number of accepted frames to `took`.
  private func write(
    _ samples: UnsafeBufferPointer<Float>, _ took: (Int) -> Void
  ) throws(SoundCardError) {
    switch try pcm.write(samples) {
    case .frames(0):
      guard stall.refused() else { return }
      _ = try watchedWait(for: .nothing, atMost: periodLength / 4)
      try considerStall()
    case .frames(let count):
      took(count.rawValue)
      playhead.write(count.rawValue)
      // A broken device may play a few frames and discard the rest, so it counts as running only
      // after more than a full buffer.
      let taken = playhead.written - startedAt
      stall.progressed(isRunning: taken > configuration.buffer.rawValue + period)
    case .interrupted(let interruption):
      handle(interruption)
      try considerStall()
    }
  }

  /// Waits for the device and records the result.
  private func watchedWait(
    for interest: PCMInterest, atMost timeout: Duration
  ) throws(SoundCardError) -> PCMWakeUp {
    let before = pcm.elapsed
    let wakeUp = try pcm.wait(for: interest, atMost: timeout)
    stall.waited(pcm.elapsed - before, atMost: timeout, isCutShort: wakeUp == .woken)
    switch wakeUp {
    case .ready(let room): playhead.see(room: room, at: pcm.elapsed)
    case .woken, .timedOut, .ended: break
    case .interrupted(let interruption): handle(interruption)
    }
    return wakeUp
  }

  /// If the buffer is nearly full and progress is seldom reported, sleeps until a third of the
  /// buffer is free.
  private func skipWakeUps() throws(SoundCardError) {
    let room = configuration.buffer.rawValue - playhead.held
    // After a loss, the device may have a smaller buffer than before.
    let missing = min(configuration.buffer, pcm.configuration.buffer).rawValue / 3 - room
    guard room < period, missing > period, isProgressSeldom, mixer.unwritten.count == 0 else {
      return
    }
    let length = FrameCount(missing).duration(at: rate)
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: length) {
      handle(interruption)
    }
  }

  /// Waits until everything written has been played, or the voices' deadlines have passed.
  private func drain() throws(SoundCardError) {
    guard isDraining else {
      isDraining = true
      // Below its start threshold, the device would not start by itself.
      return try pcm.start()
    }
    let left = FrameCount(playhead.unplayed).duration(at: rate)
    var pause = min(max(left, .milliseconds(1)), .milliseconds(50))
    if let timeToDeadline { pause = min(pause, timeToDeadline) }
    // After a loss, all frames not observed as played are written again, so observe often.
    if voices.areWaitingForLostDevice { pause = min(pause, periodLength) }
    guard case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: pause) else {
      return
    }
    handle(interruption)
    guard interruption.cause == .xrun else { return }
    // The device discarded every frame, and no frames are left to write again.
    guard hasPlayed else { throw stalled() }
    playhead.finish()
  }

  /// Stops the device and sleeps until a command comes, because no sound is playing.
  private func rest() throws(SoundCardError) {
    try pcm.drop()
    unplayed.forget()
    playhead.finish()
    isDraining = false
    mixer.reset()
    _ = try pcm.wait(for: .nothing, atMost: nil)
    markEmpty()
  }

  /// Records that the device is empty.
  ///
  /// From here on, frames that only fill the device's buffer do not show that the device runs.
  private func markEmpty() {
    stall.progressed(isRunning: false)
    playhead.empty()
    startedAt = playhead.written
    sinceBegin = (playhead.written, 0)
  }

  /// Whether the device seems to play.
  ///
  /// True if the device has discarded none of the frames written since it began to serve the
  /// present voices, or if at least a period of them, or at least half, was not discarded.
  private var hasPlayed: Bool {
    let taken = playhead.written - sinceBegin.written
    return sinceBegin.discarded == 0 || taken - sinceBegin.discarded >= min(period, taken / 2)
  }

  private func handle(_ interruption: PCMInterruption) {
    let isDiscarding = interruption.discarded > 0
    stall.interrupted(isDiscarding: isDiscarding)
    if isDiscarding { startedAt = playhead.written }
    sinceBegin.discarded += interruption.discarded.rawValue
    playhead.empty()
    voices.noteSilence(interruption, at: playhead.written)
  }

  /// Reports the voices' silence so far, and returns the error of the stalled device.
  private func stalled() -> SoundCardError {
    for index in 0..<voices.count {
      _ = voices[index].reportSilence(to: link.events, place: voices.place(at: index))
    }
    link.wakeControl()
    return .stalled(configuration.device, .playback)
  }

  /// Handles a device that accepts no frames: ends the voices if all are ending anyway, and
  /// otherwise throws the loss once the device counts as stalled.
  private func considerStall() throws(SoundCardError) {
    switch stall.verdict {
    case .fine: return
    case .late: if voices.areAllEnding, hasPlayed || voices.areAllStopping { try giveUp() }
    case .stalled:
      guard voices.areAllEnding, hasPlayed else {
        throw stalled()
      }
      try giveUp()
    }
  }

  /// Ends all voices at the playhead and discards the device's buffer.
  private func giveUp() throws(SoundCardError) {
    try pcm.drop()
    unplayed.forget()
    // A voice may have its end in the discarded block, so all ends move to the playhead.
    mixer.discard(at: playhead.written)
    voices.endAll(at: playhead.written)
    playhead.finish()
  }

  /// Whether a long device buffer contains only stopped voices, and therefore delays their end.
  private var mayCutShort: Bool {
    guard bufferLength > Self.longestUncutBuffer else { return false }
    voices.applyParameters()
    return voices.mayEnd(at: playhead.played)
  }

  /// Ends the stopped voices at the playhead and discards the device's buffer.
  private func cutShort() throws(SoundCardError) {
    playhead.observe(delay: try pcm.delay().rawValue, at: pcm.elapsed)
    try pcm.drop()
    unplayed.forget()
    mixer.discard(at: playhead.written)
    playhead.discard()
    voices.endAll(at: playhead.played)
  }

  // MARK: Reports

  /// Reads the device's delay, reports the played frames, and removes the voices that are over.
  private func observe() throws(SoundCardError) {
    if isObservationDue {
      playhead.observe(delay: try pcm.delay().rawValue, at: pcm.elapsed)
      observedAt = playhead.written
    }
    let drainPatience = try drainPatience()
    reportReturn()
    let passed = playhead.played - reportedAt
    var isNews = false
    timeToDeadline = nil
    let hostTime = pcm.hostTime(at: playhead.playedAt)
    tap?.observe(playhead.played, at: hostTime)
    var index = voices.count
    while index > 0 {
      index -= 1
      let voice = voices[index]
      let timeLeft = voice.timeLeft(
        playhead, buffer: bufferLength, patience: voice.isStopping ? .zero : drainPatience,
        at: pcm.elapsed)
      // The device discarded the whole sound, so it counts as stalled.
      if timeLeft == .zero, !voice.isStopping, !hasPlayed { throw stalled() }
      voice.observe(playhead, isOver: timeLeft == .zero, at: hostTime)
      if voice.reportSilence(to: link.events, place: voices.place(at: index)) { isNews = true }
      if voice.settle() || passed >= voice.progressFrames { isNews = true }
      if let timeLeft, timeLeft > .zero {
        timeToDeadline = min(timeToDeadline ?? timeLeft, timeLeft)
      }
      guard timeLeft == .zero, voice.unreported == (nil, nil), link.events.writable > 0
      else { continue }
      link.events.tryWrite(.finished(voices.remove(at: index)))
      isNews = true
    }
    guard isNews else { return }
    reportedAt = playhead.played
    link.wakeControl()
  }

  /// Whether to read the device's delay now.
  ///
  /// While progress is seldom reported and the device has run for some periods, the delay is read
  /// only once per `seldom` periods.
  private var isObservationDue: Bool {
    // After a loss, all frames not observed as played are written again, so observe often.
    voices.areWaitingForLostDevice || !isProgressSeldom || voices.count == 0
      || playhead.written - observedAt >= Self.seldom * period
      || playhead.written - startedAt < Self.seldom * period
  }

  /// Returns how long a sound server may pause while it holds the last frames; zero for a sound
  /// card.
  private func drainPatience() throws(SoundCardError) -> Duration {
    guard isDraining, configuration.patience > PCMConfiguration.cardPatience else { return .zero }
    return try pcm.timeUntilUnderrun > .zero ? configuration.patience : .zero
  }

  private var isProgressSeldom: Bool { voices.reportSeldom(than: Self.seldom * period) }

  private func reportReturn() {
    guard let lostAt, playhead.played > lostAt, link.events.tryWrite(.returned) else { return }
    self.lostAt = nil
    link.wakeControl()
  }
}
