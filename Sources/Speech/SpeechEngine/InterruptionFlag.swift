import AudioThreads
import Synchronization

/// Whether a session was interrupted, for an engine whose library does not support interruption.
///
/// The engine checks it between short steps, and abandons a long call that cannot end early.
///
/// Thread safety: any thread may call it, at any time.
package final class InterruptionFlag: Sendable {
  // The lock is held for a few instructions, never during a library call. `waiter` wakes the thread
  // that waits for a long call.
  private let state = Mutex<(isInterrupted: Bool, waiter: WakeUp?)>((false, nil))

  package init() {}

  /// Interrupts the session permanently.
  package func interrupt() {
    state.withLock { state in
      state.isInterrupted = true
      state.waiter?.signal()
    }
  }

  /// - Throws: `.interrupted` if the session has been interrupted.
  package func check() throws(SpeechEngineError) {
    if state.withLock({ $0.isInterrupted }) { throw .interrupted }
  }

  /// Runs a call that cannot end early, on a separate thread, and returns its result.
  ///
  /// `object` is the decoder that the call uses. After `.interrupted`, the call may still be
  /// running, so the caller must not use the decoder again. The decoder is freed with its last
  /// reference.
  ///
  /// - Throws: the error of the call; `.interrupted` as soon as the session is interrupted.
  package func runAbandonable<Object: AnyObject, Value: Sendable>(
    with object: Object,
    _ call: @escaping @Sendable (Object) throws(SpeechEngineError) -> Value
  ) throws(SpeechEngineError) -> Value {
    let isOver: WakeUp
    do throws(SystemError) { isOver = try WakeUp() } catch {
      throw .failed(reason: error.description)
    }
    let isInterrupted = state.withLock { state in
      state.waiter = isOver
      return state.isInterrupted
    }
    defer { state.withLock { $0.waiter = nil } }
    if isInterrupted { throw .interrupted }
    let call = LoanedCall(of: object, call)
    do throws(SystemError) {
      _ = try DedicatedThread.start(name: "syrinx-final") {
        call.run()
        isOver.signal()
      }
    } catch {
      throw .failed(reason: error.description)
    }
    isOver.wait()
    try check()
    guard let result = call.result else { throw .interrupted }
    return try result.get()
  }
}

/// A call on another thread, with the decoder that it borrows.
///
/// `@unchecked Sendable` is needed because decoders are not `Sendable`. It is safe because the
/// lender either waits for the call or never uses the decoder again.
private final class LoanedCall<Object: AnyObject, Value: Sendable>: @unchecked Sendable {
  private var object: Object?
  private let call: @Sendable (Object) throws(SpeechEngineError) -> Value
  // The lock is held to store or read the result.
  private let outcome = Mutex<Result<Value, SpeechEngineError>?>(nil)

  init(
    of object: Object, _ call: @escaping @Sendable (Object) throws(SpeechEngineError) -> Value
  ) {
    (self.object, self.call) = (object, call)
  }

  /// The result; nil until the call returns.
  var result: Result<Value, SpeechEngineError>? { outcome.withLock(\.self) }

  /// Makes the call once, and keeps no reference to the decoder afterward.
  func run() {
    guard let object = object.take() else { return }
    let result = Result { () throws(SpeechEngineError) in try call(object) }
    outcome.withLock { $0 = result }
  }
}
