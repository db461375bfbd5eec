import AudioCore
import AudioPlayerClient
import AudioThreads
import Resampling

/// Decodes the items of a queue, converts them to the device's format and fills a voice's ring, on
/// a thread of its own; between two steps of that it does what it is asked for.
actor VoiceFeeder {
  private let executor: ThreadExecutor
  private let request: PlaybackRequest
  private let mailbox: FeederMailbox
  private let queue: QueueSource
  /// Opens when the ring holds enough to begin with, or all that there is, or the source has
  /// failed.
  nonisolated let primed = Gate()

  init(_ request: PlaybackRequest, _ mailbox: FeederMailbox, _ setting: FeederSetting) throws {
    do {
      executor = try ThreadExecutor(name: "syrinx-decode")
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
    self.request = request
    self.mailbox = mailbox
    queue = QueueSource(request.items, request.cycle, mailbox, setting)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the first item that can be opened and says what it gives; nil where all has been skipped
  /// before it came.
  ///
  /// Throws also where what comes only once is to be repeated: to see that is to look at the files.
  func open() async throws -> SourceDescription? {
    try queue.check()
    while true {
      do { return try await queue.open() } catch is FeederInterruption {
        while let request = mailbox.next() { await answer(request) }
      }
      guard queue.isAtEnd else { continue }
      if let failure = queue.failure { throw failure }
      return nil
    }
  }

  /// Does what is asked for before anything is there: nobody at the card has to be waited for.
  private func answer(_ request: FeederRequest) async {
    do {
      _ = try await queue.perform(request.deed, at: queue.current)
      request.answer.give(.success(nil))
    } catch {
      request.answer.give(.failure(error))
    }
  }

  /// What has failed to be opened before anything was given.
  var failures: [VoiceNote] { queue.failures }

  /// Fills the voice's ring until the voice is over, or the task is cancelled; throws what an item
  /// failed with.
  ///
  /// A voice that is stopped needs what it fades out with, and is told nothing any more.
  func feed(_ voice: Voice, _ ending: VoiceEnding, on engine: PlaybackEngine) async throws {
    defer {
      mailbox.close()
      voice.endInput()
      engine.wake()
      primed.open()
    }
    mailbox.ring { voice.room.signal() }
    let feed = VoiceFeed(voice, ending, engine, request, queue, primed)
    while !voice.isOver, !feed.isStranded, !Task.isCancelled {
      if voice.isStopping { mailbox.close() }
      if let request = mailbox.next() {
        guard await feed.answer(request) else {
          mailbox.refuse(request)
          break
        }
      } else if feed.isOverBeforeItBegan {
        break
      } else {
        try await feed.step()
      }
    }
    if let failure = queue.failure { throw failure }
  }
}
