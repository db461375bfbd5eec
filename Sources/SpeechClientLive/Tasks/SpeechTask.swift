import AudioCore
import SpeechClient
import SpeechEngine
import Synchronization

/// One running recognition: a pump that brings the audio, a recogniser that hears it, a mailbox for
/// the results.
///
/// It is over when the audio has ended, something failed, or nobody wants its results any more;
/// then the recogniser is let go of, and with it the engine and the thread, even where the source
/// of the audio does not let go of the pump.
final class SpeechTask: Sendable {
  private struct State {
    var recogniser: Recogniser?
    var pump: Task<(any Error)?, Never>?
    var completion: Task<Void, Never>?
    var isOver = false
  }

  let mailbox = ResultMailbox()
  private let whenOver: @Sendable (SpeechTask) -> Void
  // Held to look at the state and to change it, never while something is heard.
  private let state = Mutex(State())

  init(whenOver: @escaping @Sendable (SpeechTask) -> Void) {
    self.whenOver = whenOver
  }

  /// The recogniser, until the task is over.
  var recogniser: Recogniser? { state.withLock { $0.recogniser } }

  /// Whether the task has ended, in whichever way.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Starts to bring audio to the recogniser.
  func start(_ audio: AudioPump.Audio, recogniser: Recogniser) {
    state.withLock { $0.recogniser = recogniser }
    let pump = Task { [weak self] in await AudioPump.run(audio) { self } }
    let completion = Task { [weak self] in
      let failure = await pump.value
      await self?.complete(failure)
    }
    state.withLock { ($0.pump, $0.completion) = (pump, completion) }
  }

  /// Ends the task as if its audio ended now; returns when the last result is in the mailbox.
  func finish() async {
    mailbox.liftLimit()
    let (pump, completion) = state.withLock { ($0.pump, $0.completion) }
    pump?.cancel()
    await completion?.value
  }

  /// Ends a task that could not start.
  func fail(_ error: any Error) {
    mailbox.close(SpeechClientError.orItself(error))
    release()
  }

  /// Ends the task at once, without further results.
  func cancel() {
    mailbox.abandon()
    release()
  }

  private func complete(_ failure: (any Error)?) async {
    mailbox.liftLimit()
    var failure = failure
    do {
      try await recogniser?.finish()
    } catch {
      failure = failure ?? error
    }
    mailbox.close(failure.map(SpeechClientError.orItself))
    release()
  }

  private func release() {
    let pump = state.withLock { state in
      state.recogniser = nil
      state.isOver = true
      return state.pump
    }
    pump?.cancel()
    whenOver(self)
  }
}
