#if !PointFreeDependencies
import Synchronization

/// A context that one thread may change while others read it.
struct ContextCell: ~Copyable, Sendable {
  private let number: Atomic<UInt8>

  init(_ context: DependencyContext) {
    number = Atomic(Self.number(of: context))
  }

  var context: DependencyContext {
    switch number.load(ordering: .relaxed) {
    case 0: .live
    case 1: .preview
    default: .test
    }
  }

  func change(to context: DependencyContext) {
    number.store(Self.number(of: context), ordering: .relaxed)
  }

  private static func number(of context: DependencyContext) -> UInt8 {
    switch context {
    case .live: 0
    case .preview: 1
    case .test: 2
    }
  }
}
#endif
