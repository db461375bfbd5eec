import Dispatch
import Foundation

/// The places that know nothing of the test that started them.
enum Elsewhere: CaseIterable {
  case detachedTask, dispatchQueue, thread

  /// Runs something there and waits for it.
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
