import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization

/// The work of a feeder on one voice, step by step; used on the feeder's thread alone.
///
/// The steps block that thread while there is nothing to do.
final class VoiceFeed {
  private let voice: Voice
  private let ending: VoiceEnding
  private let engine: PlaybackEngine
  private let queue: QueueSource
  private let primed: Gate
  private var converter: FeederConverter
  private var fades: EdgeFades
  /// What has still to be written.
  private var pending: ArraySlice<Float> = []
  private var isAtEnd = false
  private var epoch = 0
  /// The voice's frame that followed the last flush.
  private var origin = 0
  /// The place that was gone to, until something of it is there.
  private var destination: QueuePlace?
  /// Whether something was gone to.
  private var hasMoved = false
  /// Whether the voice has been stopped before it could throw away what it held.
  private(set) var isStranded = false

  init(
    _ voice: Voice, _ ending: VoiceEnding, _ engine: PlaybackEngine, _ request: PlaybackRequest,
    _ queue: QueueSource, _ primed: Gate
  ) {
    self.voice = voice
    self.ending = ending
    self.engine = engine
    self.queue = queue
    self.primed = primed
    converter = FeederConverter(to: voice.format)
    destination = queue.current
    fades = EdgeFades(in: request.fadeIn, out: request.fadeOut, format: voice.format)
  }

  /// Whether it was gone to the end before anything was written.
  var isOverBeforeItBegan: Bool {
    hasMoved && isAtEnd && pending.isEmpty && voice.ring.totalWritten == 0
  }

  /// Writes what there is room for, fetches more, or waits.
  nonisolated(nonsending) func step() async throws {
    if !pending.isEmpty {
      push()
    } else if !isAtEnd {
      try await pull()
    } else {
      if voice.ring.totalWritten == 0 { throw queue.failure ?? AudioPlayerError.emptySource(nil) }
      voice.room.wait()
    }
  }

  /// Does what is asked for and answers; false where the voice has ended meanwhile.
  nonisolated(nonsending) func answer(_ request: FeederRequest) async -> Bool {
    guard !isAtEnd || voice.reopenInput() else { return false }
    isAtEnd = false
    do {
      request.answer.give(.success(try await perform(request.deed)))
    } catch {
      request.answer.give(.failure(error))
    }
    return true
  }

  nonisolated(nonsending) private func perform(_ deed: FeederRequest.Deed) async throws -> Int? {
    forgetHeard()
    // After a flush the card still plays what came before it, but that is over.
    let heard = max(origin, voice.heardFrames.load(ordering: .relaxed))
    let place = destination ?? ending.timeLine { $0.place(heard) }
    guard let target = try await queue.perform(deed, at: place) else { return nil }
    destination = target
    hasMoved = true
    return flush()
  }

  /// Lets the card's thread throw away what it was given; returns the serial number of that wish.
  ///
  /// Nil where it was not given anything yet.
  private func flush() -> Int? {
    pending = []
    fades.reset()
    guard voice.ring.totalWritten > 0 else {
      restart(at: 0)
      return nil
    }
    let serial = voice.board.update { wishes in
      wishes.epoch += 1
      wishes.fade = TransportWishes.shortestFade
    }
    epoch += 1
    primed.open()
    engine.wake()
    restart(at: framesAfterFlush())
    return serial
  }

  /// Waits until the ring is empty; the voice's frame that comes next.
  private func framesAfterFlush() -> Int? {
    while !voice.isOver, !voice.isStopping, !Task.isCancelled {
      if let frames = voice.flushed(epoch) { return frames }
      voice.room.wait()
    }
    return nil
  }

  private func restart(at frame: Int?) {
    guard let frame else { return isStranded = true }
    origin = frame
    ending.timeLine { $0.cut(at: frame) }
    converter.restart(at: frame)
  }

  /// Lets the queue forget what has been heard since the last flush.
  private func forgetHeard() {
    let heard = voice.heardFrames.load(ordering: .relaxed)
    guard queue.keepsUnheard, destination == nil, heard >= origin else { return }
    let progress = ending.timeLine { $0.progress(heard) }
    queue.forget(before: progress.position, of: progress.item)
  }

  nonisolated(nonsending) private func pull() async throws {
    forgetHeard()
    do {
      switch try await queue.next() {
      case .begins(let place, let note):
        destination = nil
        ending.timeLine { [frame = converter.nextFrame] in $0.begin(place, at: frame, note) }
      case .note(let note):
        ending.timeLine { [frame = converter.nextFrame] in $0.note(note, at: frame) }
      case .audio(let buffer):
        try convert(buffer)
      case nil:
        try finish()
      }
    } catch is FeederInterruption {}
  }

  /// What cannot be converted is what its item fails with.
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
    let rest = fades.apply(try converter.finish(), at: frame)
    pending = (rest + fades.finish())[...]
    ending.timeLine { [frame = converter.outputFrame] in $0.end(at: frame) }
    isAtEnd = true
    if pending.isEmpty { endInput() }
  }

  private func push() {
    let written = pending.withUnsafeBufferPointer { voice.ring.tryWrite($0) }
    pending = pending.dropFirst(written)
    engine.sourceAdvanced()
    if voice.isPrimed { primed.open() }
    if isAtEnd && pending.isEmpty { endInput() }
    if written == 0 { waitForRoom() }
  }

  private func endInput() {
    voice.endInput()
    primed.open()
    engine.wake()
  }

  private func waitForRoom() {
    voice.roomWish.make()
    // The card's thread may have made room before it could see the wish.
    if voice.ring.writable == 0 { voice.room.wait() }
  }
}
