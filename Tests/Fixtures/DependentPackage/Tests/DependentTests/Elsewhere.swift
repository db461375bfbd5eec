import Dispatch
import Foundation

/// Places where code runs without the task-locals of the test that calls it.
enum Elsewhere {
  case detachedTask, dispatchQueue, thread

  /// Runs `body` outside the caller's task, and returns when it has ended.
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
