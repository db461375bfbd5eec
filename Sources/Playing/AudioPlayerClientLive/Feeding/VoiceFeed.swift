import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// Feeds one voice, step by step; used only by the feeder.
///
/// A step suspends the feeder while there is nothing to do, and blocks its thread only to read.
final class VoiceFeed {
  private let voice: Voice
  private let device: PlaybackDevice
  private let queue: PlaybackQueue
  private let primed: Gate
  private var converter: SourceConverter
  /// Adjusts the rate of streams that set the pace; nil if the device sets it.
  private let adjuster: RateAdjuster?
  private var follower: ClockFollower
  /// The voice's first frame of the current item.
  private var itemStart = 0
  /// The converter's frames minus the voice's frames: the frames skipped so far.
  private var skippedFrames = 0
  private var fades: EdgeFades
  /// The samples still to be written to the ring.
  private var pending: ArraySlice<Float> = []
  private var isAtEnd = false
  private var flushCount = 0
  /// The voice's first frame after the last flush.
  private var origin = 0
  /// The position of a seek or skip, until its audio arrives.
  private var destination: ItemPosition?
  private var hasMoved = false
  /// Whether the voice ended before the audio thread confirmed a flush.
  private(set) var isFlushUnanswered = false

  init(
    _ voice: Voice, _ device: PlaybackDevice, _ request: PlaybackRequest, _ queue: PlaybackQueue,
    _ primed: Gate
  ) throws {
    self.voice = voice
    self.device = device
    self.queue = queue
    self.primed = primed
    adjuster = request.followsSource ? RateAdjuster(voice.format) : nil
    follower = ClockFollower(target: request.prefill(on: device.configuration))
    let format = voice.format
    let tempo = request.speed == 1 ? nil : try TempoChanger(speed: request.speed, format: format)
    converter = SourceConverter(to: format, timing: tempo)
    destination = queue.current
    fades = EdgeFades(in: request.fadeIn, out: request.fadeOut, format: voice.format)
  }

  /// The voice's frame at which the next buffer begins.
  private var nextFrame: Int { converter.nextFrame - skippedFrames }

  /// The voice's frame to be converted next.
  private var outputFrame: Int { converter.outputFrame - skippedFrames }

  /// Whether a seek or skip reached the end before anything was written.
  var endedWithoutAudio: Bool {
    hasMoved && isAtEnd && pending.isEmpty && voice.ring.totalWritten == 0
  }

  /// Writes the pending samples, or reads more samples if there are none.
  ///
  /// At the end of the queue, waits for a request or the end of the voice.
  nonisolated(nonsending) func step() async throws {
    if !pending.isEmpty {
      await write()
    } else if !isAtEnd {
      try await read()
    } else {
      if voice.ring.totalWritten == 0 { throw queue.failure ?? AudioPlayerError.emptySource(nil) }
      await voice.room.wait()
    }
  }

  /// Performs a request and answers it; false if the voice has ended in the meantime.
  nonisolated(nonsending) func perform(_ request: FeederMailbox.Request) async -> Bool {
    guard !isAtEnd || voice.reopenInput() else { return false }
    isAtEnd = false
    do {
      request.answer.resolve(.success(try await perform(request.command)))
    } catch {
      request.answer.resolve(.failure(error))
    }
    return true
  }

  nonisolated(nonsending) private func perform(
    _ command: PlaybackCommand
  ) async throws -> Int? {
    forgetPlayed()
    // Frames before `origin` have been flushed, even if the device still plays some of them.
    let played = max(origin, voice.playedFrames.load(ordering: .relaxed))
    let position = destination ?? voice.timeline { $0.position(played) }
    guard let target = try await queue.perform(command, at: position) else { return nil }
    destination = target
    hasMoved = true
    return await flush()
  }

  /// Discards the audio that has not been played; returns the serial number of the request, or nil
  /// if nothing was written yet.
  nonisolated(nonsending) private func flush() async -> Int? {
    pending = []
    fades.reset()
    guard voice.ring.totalWritten > 0 else {
      restart(at: 0)
      return nil
    }
    let serial = requestFlush()
    restart(at: await frameAfterFlush())
    return serial
  }

  /// Requests that the audio thread discard the ring's content; returns the serial number of the
  /// request.
  ///
  /// The audio thread discards everything readable. Until it confirms the request, the feeder
  /// writes nothing, so that no frames of the new position are discarded.
  private func requestFlush() -> Int {
    let serial = voice.parameters.update { parameters in
      parameters.flushCount += 1
      parameters.fade = VoiceParameters.shortestFade
    }
    flushCount += 1
    primed.open()
    device.wake()
    return serial
  }

  /// Waits until the ring has been flushed; returns the voice's next frame, or nil if the voice
  /// ends first.
  nonisolated(nonsending) private func frameAfterFlush() async -> Int? {
    while !voice.isOver, !voice.isStopping, !Task.isCancelled {
      if let frame = voice.frameAfterFlush(flushCount) { return frame }
      await voice.room.wait()
    }
    return nil
  }

  private func restart(at frame: Int?) {
    guard let frame else { return isFlushUnanswered = true }
    origin = frame
    skippedFrames = 0
    follower.update(nil, length: .zero)
    voice.timeline { $0.cut(at: frame) }
    converter.restart(at: frame)
  }

  /// Lets the queue forget the audio that has been played since the last flush.
  private func forgetPlayed() {
    let played = voice.playedFrames.load(ordering: .relaxed)
    guard queue.releasesPlayedAudio, destination == nil, played >= origin else { return }
    let progress = voice.timeline { $0.progress(played) }
    queue.forget(before: progress.position, of: progress.item)
  }

  nonisolated(nonsending) private func read() async throws {
    forgetPlayed()
    do {
      switch try await queue.next() {
      case .begins(let position, let event):
        destination = nil
        follower.update(nil, length: .zero)
        try beginFollowingIfNeeded()
        itemStart = nextFrame
        voice.timeline { [itemStart] in $0.begin(position, at: itemStart, event) }
      case .event(let event):
        voice.timeline { [nextFrame] in $0.add(event, at: nextFrame) }
      case .audio(let buffer):
        try await convert(buffer)
      case nil:
        try finish()
      }
    } catch is FeederInterruption {}
  }

  /// Converts a buffer; if that fails, the item fails.
  nonisolated(nonsending) private func convert(_ buffer: AudioBuffer) async throws {
    await follow(buffer)
    let frame = outputFrame
    do {
      pending = fades.apply(try converter.convert(buffer), at: frame)[...]
    } catch {
      return try queue.fail(error)
    }
    guard isFollowing else { return }
    // The control thread may still report positions of the last second.
    let reported = voice.playedFrames.load(ordering: .relaxed) - voice.format.sampleRate.hertz
    voice.timeline { [nextFrame, position = queue.current] in
      $0.forget(before: reported)
      $0.correct(position, at: nextFrame)
    }
  }

  private func finish() throws {
    let frame = outputFrame
    let rest = fades.apply(try converter.flush(), at: frame)
    pending = (rest + fades.flush())[...]
    voice.timeline { [outputFrame] in $0.end(at: outputFrame) }
    isAtEnd = true
    if pending.isEmpty { endInput() }
  }

  nonisolated(nonsending) private func write() async {
    let written = pending.withUnsafeBufferPointer { voice.ring.tryWrite($0) }
    pending = pending.dropFirst(written)
    device.sourceAdvanced()
    if voice.isPrimed { primed.open() }
    if isAtEnd && pending.isEmpty { endInput() }
    if written == 0 { await waitForRoom() }
  }

  private func endInput() {
    voice.endInput()
    primed.open()
    device.wake()
  }

  nonisolated(nonsending) private func waitForRoom() async {
    voice.roomRequest.make()
    // The audio thread may have made room before it could see the request, so check again.
    if voice.ring.writable == 0 { await voice.room.wait() }
  }
}

/// Following the clock of a live stream.
extension VoiceFeed {
  /// Whether the current item sets the pace.
  private var isFollowing: Bool { adjuster != nil && queue.isReadingStream }

  /// Begins or ends following, if the next item needs it.
  private func beginFollowingIfNeeded() throws {
    guard let adjuster, isFollowing != (converter.timing != nil) else { return }
    let frame = outputFrame
    do {
      pending = fades.apply(try converter.flush(), at: frame)[...]
    } catch {
      try queue.fail(error)
    }
    converter.timing = isFollowing ? adjuster : nil
  }

  /// Adjusts the rate when a buffer of a live stream arrives.
  ///
  /// If much more audio waits than usual, it is skipped, because it would take minutes to play it
  /// faster.
  nonisolated(nonsending) private func follow(_ buffer: AudioBuffer) async {
    // Longer buffers count as 1 s, so that the usual level fits into the ring.
    let length = min(buffer.duration, .seconds(1))
    let usualLevel = follower.target + length
    let refill = isFollowing ? FrameCount(usualLevel, at: voice.format.sampleRate).rawValue : 0
    voice.refill.store(refill, ordering: .relaxed)
    guard let adjuster, isFollowing, voice.playedFrames.load(ordering: .relaxed) > itemStart else {
      return
    }
    let backlog = voice.backlog(at: device.now)
    let level = backlog.ring + backlog.device
    let isPaused = voice.parameters.current.parameters.isPaused && voice.settlement.isPaused
    let isSilent = isPaused || backlog.device == .zero
    // Audio that already waits at the first buffer would stay for minutes.
    let least = follower.hasLevel ? .milliseconds(250) : length
    let tolerance = isSilent ? .zero : max(least, follower.target)
    if level > usualLevel + tolerance, !voice.isStopping {
      await skip(to: buffer)
    } else {
      follower.update(isSilent ? nil : level, length: buffer.duration)
    }
    adjuster.deviation = follower.deviation
  }

  /// Discards the ring's content; the audio not yet in the ring follows.
  nonisolated(nonsending) private func skip(to buffer: AudioBuffer) async {
    _ = requestFlush()
    guard let frame = await frameAfterFlush() else { return isFlushUnanswered = true }
    origin = frame
    skippedFrames = converter.outputFrame - fades.heldFrames - frame
    follower.update(nil, length: .zero)
    var position = queue.current
    queue.forget(before: position.frame, of: position.item)
    let rest = FrameCount(nextFrame - frame).duration(at: voice.format.sampleRate)
    position.frame = max(0, position.frame - FrameCount(rest + buffer.duration, at: position.rate))
    voice.timeline { [position] in $0.skip(at: frame, to: position) }
  }
}
