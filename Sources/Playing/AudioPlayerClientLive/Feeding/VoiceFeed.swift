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
    converter = try SourceConverter(to: voice.format, speed: request.speed)
    destination = queue.current
    fades = EdgeFades(in: request.fadeIn, out: request.fadeOut, format: voice.format)
  }

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

  /// Requests that the audio thread discard the ring's content; returns the serial number of the
  /// request, or nil if nothing was written yet.
  ///
  /// The audio thread discards everything readable. Until it confirms the request, the feeder
  /// writes nothing, so that no frames of the new position are discarded.
  nonisolated(nonsending) private func flush() async -> Int? {
    pending = []
    fades.reset()
    guard voice.ring.totalWritten > 0 else {
      restart(at: 0)
      return nil
    }
    let serial = voice.parameters.update { parameters in
      parameters.flushCount += 1
      parameters.fade = VoiceParameters.shortestFade
    }
    flushCount += 1
    primed.open()
    device.wake()
    restart(at: await frameAfterFlush())
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
        voice.timeline { [frame = converter.nextFrame] in $0.begin(position, at: frame, event) }
      case .event(let event):
        voice.timeline { [frame = converter.nextFrame] in $0.add(event, at: frame) }
      case .audio(let buffer):
        try convert(buffer)
      case nil:
        try finish()
      }
    } catch is FeederInterruption {}
  }

  /// Converts a buffer; if that fails, the item fails.
  private func convert(_ buffer: AudioBuffer) throws {
    let frame = converter.outputFrame
    do {
      pending = fades.apply(try converter.convert(buffer), at: frame)[...]
    } catch {
      try queue.fail(error)
    }
  }

  private func finish() throws {
    let frame = converter.outputFrame
    let rest = fades.apply(try converter.flush(), at: frame)
    pending = (rest + fades.flush())[...]
    voice.timeline { [frame = converter.outputFrame] in $0.end(at: frame) }
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
