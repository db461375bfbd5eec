import Dispatch
import Foundation

/// The places that do not inherit the task-local values of the test that starts them.
enum Elsewhere {
  case detachedTask, dispatchQueue, thread

  /// Runs the body in this place and waits for its end.
  func run(_ body: @escaping @Sendable () -> Void) async {
    switch self {
    case .detachedTask: await Task.detached { body() }.value
    case .dispatchQueue:
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          body()
          continuation.resume()
        }
      }
    case .thread:
      await withCheckedContinuation { continuation in
        Thread {
          body()
          continuation.resume()
        }.start()
      }
    }
  }
}
