import AudioCore
import AudioPlayerClient
import Synchronization

/// Turns the engine's reports on a voice into events, and waits for the last one.
final class VoiceEnding: Sendable {
  private struct State {
    var outcome: Result<Duration, any Error>?
    var waiting: CheckedContinuation<Duration, any Error>?
    var told = 0
  }

  // Held for a few instructions by the reporter's thread and the session.
  private let state = Mutex(State())

  /// Takes a report and passes on what is an event.
  func take(
    _ voiceReport: VoiceReport, rate: SampleRate, _ report: (PlaybackEvent) -> Void
  ) {
    switch voiceReport {
    case .heard(let frames):
      guard advance(to: frames, atLeast: rate.hertz / 20) else { return }
      report(.progress(PlaybackProgress(heard: FrameCount(frames).duration(at: rate))))
    case .starved(let frames):
      report(.starved(FrameCount(frames).duration(at: rate)))
    case .silence(let frames):
      report(.xrun(FrameCount(frames).duration(at: rate)))
    case .finished(let frames):
      let heard = FrameCount(frames).duration(at: rate)
      report(.progress(PlaybackProgress(heard: heard)))
      end(.success(heard))
    case .failed(let error):
      end(.failure(error))
    }
  }

  /// Returns what has been heard when the voice is over; throws where the device failed.
  func heard() async throws -> Duration {
    try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiting = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// Notes what has been heard; false where that is too little to be told.
  private func advance(to frames: Int, atLeast step: Int) -> Bool {
    state.withLock { state in
      guard frames >= state.told + step else { return false }
      state.told = frames
      return true
    }
  }

  private func end(_ outcome: Result<Duration, any Error>) {
    let waiting = state.withLock { state in
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: outcome)
  }
}
