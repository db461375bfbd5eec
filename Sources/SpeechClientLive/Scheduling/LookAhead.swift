import AudioCore
import Synchronization

/// Audio on its way from a source to a recogniser, with a scout that looks at it first.
///
/// How far the scout goes ahead is bounded in utterances and in time, and so is the memory for it.
final class LookAhead: Sendable {
  typealias Audio = any AsyncSequence<AudioBuffer, any Error> & Sendable

  private struct State {
    var queue: LookAheadQueue
    var hearer: CheckedContinuation<AudioBuffer?, any Error>?
    var scout: CheckedContinuation<Void, Never>?
  }

  /// Whom to resume once the lock is free.
  private struct Wake {
    var hearer: (CheckedContinuation<AudioBuffer?, any Error>, LookAheadQueue.Next)?
    var scout: CheckedContinuation<Void, Never>?
  }

  // Held to move buffers in and out; whoever waits is resumed after it is free.
  private let state: Mutex<State>
  private let whenFirst: LookAheadQueue.Reach

  /// A scout that goes one utterance ahead, until the task comes first: so what waits for all tasks
  /// grows with their number and with that of the decoders, and not with the product of both.
  init(jobCount: Int, longest: Duration) {
    whenFirst = .init(utterances: jobCount + 1, audio: longest * (jobCount + 1))
    state = Mutex(State(queue: LookAheadQueue(reach: .init(utterances: 1, audio: longest * 2))))
  }

  /// The task comes before all others: as many utterances may wait as keep every decoder at work.
  func comesFirst() { change { $0.queue.reach = whenFirst } }

  /// Drops what waits, and what will come.
  fileprivate func abandon() { change { $0.queue.abandon() } }

  /// The recogniser has the words of so many utterances.
  func heard(_ count: Int) { change { $0.queue.heard(count) } }

  /// The same audio, each buffer after the scout has looked at it.
  ///
  /// The scout begins at once; it ends with the audio, or when nobody holds the result any more.
  func audio(_ source: Audio, scout: UtteranceScout) -> Audio {
    let task = Task { await self.run(source, scout) }
    return ScoutedAudio(scouting: Scouting(task: task, lookAhead: self))
  }

  private func run(_ source: Audio, _ scout: UtteranceScout) async {
    var ending: Result<Void, any Error> = .success(())
    do {
      await scout.begin()
      var rest = Duration.zero
      for try await buffer in source {
        let foundCount = await scout.look(at: buffer)
        change { $0.queue.add(buffer, foundCount: foundCount) }
        await room()
        rest += Task.isCancelled ? buffer.duration : .zero
        if isAbandoned || rest >= IntakeQueue.longestRest { break }
      }
    } catch {
      ending = .failure(error)
    }
    if !isAbandoned { await scout.finish() }
    change { $0.queue.end(ending) }
  }

  private var isAbandoned: Bool { state.withLock { $0.queue.isAbandoned } }

  fileprivate func next() async throws -> AudioBuffer? {
    try await withCheckedThrowingContinuation { hearer in change { $0.hearer = hearer } }
  }

  private func room() async {
    await withCheckedContinuation { scout in change { $0.scout = scout } }
  }

  private func change(_ body: (inout State) -> Void) {
    let wake = state.withLock { state in
      body(&state)
      return Self.whomToWake(&state)
    }
    wake.scout?.resume()
    if let (hearer, next) = wake.hearer { hearer.resume(next) }
  }

  private static func whomToWake(_ state: inout State) -> Wake {
    var wake = Wake()
    if let hearer = state.hearer {
      let next = state.queue.next()
      if case .wait = next {
      } else {
        wake.hearer = (hearer, next)
        state.hearer = nil
      }
    }
    if state.queue.hasRoom { wake.scout = state.scout.take() }
    return wake
  }
}

/// The scout's task, which ends with whoever wants its audio.
private final class Scouting: Sendable {
  let task: Task<Void, Never>
  let lookAhead: LookAhead

  init(task: Task<Void, Never>, lookAhead: LookAhead) {
    (self.task, self.lookAhead) = (task, lookAhead)
  }

  deinit {
    task.cancel()
    lookAhead.abandon()
  }
}

/// What the scout has looked at, for one iterator; when that is cancelled the source is, and what
/// it still holds comes all the same.
private struct ScoutedAudio: AsyncSequence, Sendable {
  let scouting: Scouting

  struct Iterator: AsyncIteratorProtocol {
    let scouting: Scouting

    func next() async throws -> AudioBuffer? {
      try await withTaskCancellationHandler {
        try await scouting.lookAhead.next()
      } onCancel: {
        scouting.task.cancel()
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(scouting: scouting) }
}

extension CheckedContinuation<AudioBuffer?, any Error> {
  fileprivate func resume(_ next: LookAheadQueue.Next) {
    switch next {
    case .take(let buffer): resume(returning: buffer)
    case .fail(let error): resume(throwing: error)
    case .end, .wait: resume(returning: nil)
    }
  }
}
