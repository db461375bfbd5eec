import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// The card's thread of a playback engine: it mixes the voices into one PCM, a period at a time.
///
/// From `run` on it neither allocates nor takes a lock. A sound ends when its last frame has been
/// heard, and the PCM is drained by position, never by a call that could hang.
final class CardThread {
  private let pcm: any PlaybackPCM
  private let link: CardLink
  private let voices = VoiceTable()
  private let block: MixBuffer
  private let rate: SampleRate
  private let period: Int
  private let fadeFrames: Int
  private let rampFrames: Int
  private let longestWait: Duration
  private var position = HeardPosition()
  private var master: GainRamp
  private var drainDeadline: Duration?
  private var lastTransfer = Duration.zero
  private var reportedAt = 0

  init(pcm: any PlaybackPCM, link: CardLink) {
    self.pcm = pcm
    self.link = link
    let configuration = pcm.configuration
    rate = configuration.format.sampleRate
    period = configuration.period.rawValue
    block = MixBuffer(frames: period, channels: configuration.format.channelCount)
    fadeFrames = FrameCount(.milliseconds(10), at: rate).rawValue
    rampFrames = FrameCount(.milliseconds(20), at: rate).rawValue
    longestWait = configuration.buffer.duration(at: rate) * 2
    master = GainRamp(link.volume.gain)
  }

  /// Serves the device until the engine quits; throws where the device is lost.
  func run() throws(SoundCardError) {
    while takeCommands() {
      if block.unwritten.count > 0 || hasSound {
        try serve()
      } else if voices.count > 0 {
        try drain()
      } else {
        try rest()
      }
      observe()
    }
  }

  private func takeCommands() -> Bool {
    while let command = link.commands.tryRead() {
      switch command {
      case .add(let voice): voices.add(voice)
      case .quit: return false
      }
    }
    return true
  }

  /// Whether a voice has not been mixed to its end.
  private var hasSound: Bool {
    for index in 0..<voices.count where voices[index].endsAt == nil { return true }
    return false
  }

  // MARK: - Sounding

  private func serve() throws(SoundCardError) {
    drainDeadline = nil
    if block.unwritten.count == 0 {
      if isStarving, let slack = slackForTheSource {
        link.sourceWish.make()
        // The source may have given more before its feeder could see the wish.
        guard isStarving else { return }
        return handle(try pcm.wait(for: .nothing, atMost: slack))
      }
      mix()
    }
    try write()
  }

  /// Whether a source is late with a voice's next period.
  private var isStarving: Bool {
    for index in 0..<voices.count {
      let voice = voices[index]
      if voice.endsAt != nil || voice.isStopping || voice.hasInputEnded { continue }
      if voice.readableFrames < period { return true }
    }
    return false
  }

  /// How long a late source can be waited for before the device runs dry; nil where it is high
  /// time.
  private var slackForTheSource: Duration? {
    let slack = pcm.timeUntilDry - FrameCount(period).duration(at: rate)
    return slack > .milliseconds(1) ? slack : nil
  }

  private func mix() {
    block.begin()
    for index in 0..<voices.count where voices[index].endsAt == nil { mix(voices[index], index) }
    master.move(to: link.volume.gain, in: rampFrames)
    block.apply(&master)
  }

  private func mix(_ voice: Voice, _ index: Int) {
    if voice.startedAt == nil { voice.startedAt = position.written }
    // What is left of a sound may be shorter than a fade.
    if voice.isStopping { voice.ramp.move(to: 0, in: min(fadeFrames, voice.readableFrames)) }
    // Read before the ring: what is there after the end of the input is all that there will be.
    let isComplete = voice.hasInputEnded
    let frames = block.add(voice)
    voice.mixedFrames += frames
    if voice.ring.readable * 2 <= voice.ring.capacity { voice.room.signal() }
    let hasFaded = voice.isStopping && voice.ramp.isSteady
    if hasFaded || (frames < period && (isComplete || voice.isStopping)) {
      voice.endsAt = position.written + frames
    } else if frames < period {
      link.events.tryWrite(.starved(.passUnretained(voice), frames: period - frames))
      link.news.signal()
    }
  }

  private func write() throws(SoundCardError) {
    let wakeUp = try pcm.wait(for: .period, atMost: longestWait)
    handle(wakeUp)
    guard case .ready = wakeUp else { return try considerStall() }
    switch try pcm.write(block.unwritten) {
    case .frames(let count):
      block.wrote(count.rawValue)
      position.write(count.rawValue)
      if count > 0 { lastTransfer = pcm.elapsed }
    case .interrupted(let interruption):
      handle(.interrupted(interruption))
    }
  }

  /// Gives up on a device that takes no frames: at once what is to end anyway, the rest after five
  /// seconds.
  private func considerStall() throws(SoundCardError) {
    let stalled = pcm.elapsed - lastTransfer
    if stalled > longestWait + .milliseconds(250), isEverythingEnding { return giveUp() }
    guard stalled > .seconds(5) else { return }
    throw .failed(
      pcm.configuration.device, operation: "playback", code: 0,
      reason: "it has taken no frames for 5 s")
  }

  /// Whether every voice is stopping or mixed to its end.
  private var isEverythingEnding: Bool {
    for index in 0..<voices.count where voices[index].endsAt == nil {
      if !voices[index].isStopping { return false }
    }
    return true
  }

  /// Ends all voices where they are; what the device holds is thrown away.
  private func giveUp() {
    pcm.drop()
    block.discard()
    for index in 0..<voices.count where voices[index].endsAt == nil {
      voices[index].endsAt = position.written
    }
    position.finish()
  }

  // MARK: - Ending

  /// Waits until what was written has been heard, at most as long as it takes plus a quarter of a
  /// second.
  private func drain() throws(SoundCardError) {
    let left = pcm.delay.duration(at: rate)
    guard let deadline = drainDeadline else {
      drainDeadline = pcm.elapsed + left + .milliseconds(250)
      return try pcm.start()
    }
    if pcm.elapsed >= deadline { return position.finish() }
    let pause = min(max(left, .milliseconds(1)), .milliseconds(50))
    // A device that runs dry now has done what it should.
    if case .interrupted(let interruption) = try pcm.wait(for: .nothing, atMost: pause),
      interruption.cause == .xrun
    {
      position.finish()
    }
  }

  /// Nothing sounds: the device stops and the thread sleeps until it is told something.
  private func rest() throws(SoundCardError) {
    pcm.drop()
    position.finish()
    drainDeadline = nil
    master = GainRamp(link.volume.gain)
    _ = try pcm.wait(for: .nothing, atMost: nil)
    lastTransfer = pcm.elapsed
  }

  // MARK: - Reporting

  private func handle(_ wakeUp: PCMWakeUp) {
    guard case .interrupted(let interruption) = wakeUp else { return }
    link.events.tryWrite(.silence(frames: interruption.lost.rawValue))
    link.news.signal()
  }

  /// Looks where the device is, says what has been heard, and lets go of the voices that are over.
  private func observe() {
    position.observe(delay: pcm.delay.rawValue)
    var isNews = position.heard - reportedAt >= rate.hertz / 20
    for index in (0..<voices.count).reversed() {
      let voice = voices[index]
      let heard = min(
        voice.mixedFrames, max(0, position.heard - (voice.startedAt ?? position.heard)))
      voice.heardFrames.store(heard, ordering: .relaxed)
      guard let end = voice.endsAt, position.heard >= end, link.events.writable > 0 else {
        continue
      }
      link.events.tryWrite(.finished(voices.remove(at: index)))
      isNews = true
    }
    guard isNews else { return }
    reportedAt = position.heard
    link.news.signal()
  }
}
