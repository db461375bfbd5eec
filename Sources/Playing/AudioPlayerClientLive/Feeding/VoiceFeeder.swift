import AudioCore
import AudioPlayerClient
import AudioThreads
import FoundationEssentials
import SoundCard

/// Decodes the items of a queue and converts them to the device's format.
///
/// The audio fills a voice's ring, or memory for a preloaded sound. Requests are handled between
/// steps. Feeders share the threads of a pool: a feeder occupies one only while it works, or while
/// a read blocks. Its tasks start with `Task(executorPreference: pool)`.
actor VoiceFeeder {
  /// The first item that could be opened.
  typealias FirstItem = (index: Int, description: SourceDescription)

  nonisolated let pool: ThreadPool
  private let request: PlaybackRequest
  private let mailbox: FeederMailbox
  private let queue: PlaybackQueue
  /// Opens when the ring holds enough audio to begin, the source has ended, or the source has
  /// failed.
  nonisolated let primed = Gate()

  init(
    _ request: PlaybackRequest, _ mailbox: FeederMailbox,
    _ makeSource: @escaping SourceMaker, on decoding: SharedThreadPool
  ) throws {
    do {
      pool = try decoding.pool()
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    self.request = request
    self.mailbox = mailbox
    queue = PlaybackQueue(request.items, request.cycle, mailbox, makeSource)
  }

  /// Opens the first item that can be opened; nil if commands have skipped every item.
  ///
  /// Throws if the request repeats a source that can be read only once; this check reads the status
  /// of each file.
  func open() async throws -> FirstItem? {
    try queue.check()
    while true {
      do { return try await queue.open() } catch is FeederInterruption {
        while let request = mailbox.next() { await performBeforePlaying(request) }
      }
      guard queue.isAtEnd else { continue }
      if let failure = queue.failure { throw failure }
      return nil
    }
  }

  /// The items that failed to open before the first audio.
  var failures: [PlaybackEvent] { queue.failures }

  /// Fills the voice's ring until the voice is over or the task is canceled; throws an item's
  /// error.
  ///
  /// A voice that is stopping still needs the audio of its fade, but accepts no more commands.
  func feed(_ voice: Voice, on device: PlaybackDevice) async throws {
    defer {
      mailbox.close()
      voice.endInput()
      device.wake()
      primed.open()
    }
    mailbox.onRequest { voice.room.signal() }
    let feed = try VoiceFeed(voice, device, request, queue, primed)
    while !voice.isOver, !feed.isFlushUnanswered, !Task.isCancelled {
      if voice.isStopping { mailbox.close() }
      if let request = mailbox.next() {
        guard await feed.perform(request) else {
          mailbox.refuse(request)
          break
        }
      } else if feed.endedWithoutAudio {
        break
      } else {
        try await feed.step()
        // Voices take turns: each needs its first audio sooner than another voice a full ring.
        await pool.yield()
      }
    }
    if let failure = queue.failure { throw failure }
  }

  /// Decodes all audio of the open queue and converts it to `format`; throws if an item fails.
  ///
  /// `shortfall` contains the announced and the decoded duration of a file that was too short.
  func load(
    as format: AudioFormat
  ) async throws -> (buffers: [AudioBuffer], shortfall: (announced: Duration?, decoded: Duration)?)
  {
    var converter = SourceConverter(to: format)
    var buffers: [AudioBuffer] = []
    var shortfall: (announced: Duration?, decoded: Duration)?
    // The number of silenced samples that were reported before the first buffer.
    var silencedCount = 0
    func append(_ samples: [Float]) {
      guard !samples.isEmpty else { return }
      buffers.append(AudioBuffer(format: format, samples: samples))
      buffers[buffers.count - 1].silencedSampleCount = silencedCount
      silencedCount = 0
    }
    while let step = try await queue.next() {
      try Task.checkCancellation()
      await pool.yield()
      switch step {
      case .audio(let buffer): append(try converter.convert(buffer))
      case .event(.nonFinite(let count)):
        // The queue reports silenced samples after the buffer that contained them, so they belong
        // to the last buffer.
        if buffers.isEmpty {
          silencedCount += count
        } else {
          buffers[buffers.count - 1].silencedSampleCount += count
        }
      case .event(.shortfall(_, let announced, let decoded)): shortfall = (announced, decoded)
      case .begins, .event: break
      }
    }
    append(try converter.flush())
    if let failure = queue.failure { throw failure }
    guard !buffers.isEmpty else {
      let file: URL? = if case .file(let url) = request.source { url } else { nil }
      throw AudioPlayerError.emptySource(file)
    }
    return (buffers, shortfall)
  }

  /// Performs a request while no voice exists, so that it is in effect at once.
  private func performBeforePlaying(_ request: FeederMailbox.Request) async {
    do {
      _ = try await queue.perform(request.command, at: queue.current)
      request.answer.resolve(.success(nil))
    } catch {
      request.answer.resolve(.failure(error))
    }
  }
}
