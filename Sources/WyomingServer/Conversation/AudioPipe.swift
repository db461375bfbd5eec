import AudioCore
import Synchronization

/// Hands buffers from a connection to a recognition, a few at a time: whoever sends waits for
/// whoever hears.
final class AudioPipe: Sendable {
  /// How many buffers wait at most.
  static let limit = 4

  private struct State {
    var queue: [AudioBuffer] = []
    var isFinished = false
    var isAbandoned = false
    var consumer: CheckedContinuation<AudioBuffer?, Never>?
    var producer: CheckedContinuation<Void, Never>?
  }

  private struct Wake {
    var consumer: (CheckedContinuation<AudioBuffer?, Never>, AudioBuffer?)?
    var producer: CheckedContinuation<Void, Never>?
  }

  // Held to move a buffer; whoever waits is woken after it is free.
  private let state = Mutex(State())

  /// The buffers, in order; ends after the last, and when its consumer is cancelled.
  ///
  /// It throws `CancellationError` where whoever sends is cancelled: what was said is not complete.
  var buffers: AsyncThrowingStream<AudioBuffer, any Error> {
    AsyncThrowingStream { [self] in
      let buffer = await next()
      if buffer == nil, state.withLock({ $0.isAbandoned }) { throw CancellationError() }
      return buffer
    }
  }

  /// Adds a buffer, and returns when there is room for another.
  func send(_ buffer: AudioBuffer) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { producer in
        change { state in
          if !state.isFinished { state.queue.append(buffer) }
          state.producer = producer
        }
      }
    } onCancel: {
      abandon()
    }
  }

  /// No buffer follows; those that wait are heard.
  func finish() {
    change { $0.isFinished = true }
  }

  /// Ends the pipe without a consumer: its writer waits no longer.
  func abandon() {
    change { state in
      state.isFinished = true
      state.isAbandoned = true
      state.queue = []
    }
  }

  private func next() async -> AudioBuffer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { consumer in
        change { $0.consumer = consumer }
      }
    } onCancel: {
      finish()
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let wake = state.withLock { state in
      body(&state)
      return Self.whomToWake(&state)
    }
    if let (consumer, buffer) = wake.consumer { consumer.resume(returning: buffer) }
    wake.producer?.resume()
  }

  private static func whomToWake(_ state: inout State) -> Wake {
    var wake = Wake()
    if let consumer = state.consumer, state.isFinished || !state.queue.isEmpty {
      wake.consumer = (consumer, state.queue.isEmpty ? nil : state.queue.removeFirst())
      state.consumer = nil
    }
    if state.queue.count < limit || state.isFinished { wake.producer = state.producer.take() }
    return wake
  }
}
