import ClientDependencies
import Dispatch
import Testing

@Suite struct UISchedulerTests {
  private let isMain = DispatchSpecificKey<Void>()

  init() {
    DispatchQueue.main.setSpecific(key: isMain, value: ())
  }

  @Test @MainActor func `on the main queue work runs before schedule returns`() {
    var ran = 0
    UIScheduler.shared.schedule { ran += 1 }
    AnySchedulerOf<UIScheduler>.shared.schedule { ran += 1 }
    #expect(ran == 2)
  }

  @Test func `work from another thread runs on the main queue`() async {
    let wasOnMain = await withCheckedContinuation { continuation in
      DispatchQueue(label: "elsewhere").async {
        UIScheduler.shared.schedule {
          continuation.resume(returning: DispatchQueue.getSpecific(key: isMain) != nil)
        }
      }
    }
    #expect(wasOnMain)
  }

  @Test func `work for later runs on the main queue`() async {
    let wasOnMain = await withCheckedContinuation { continuation in
      let date = UIScheduler.shared.now.advanced(by: .milliseconds(1))
      UIScheduler.shared.schedule(after: date) {
        continuation.resume(returning: DispatchQueue.getSpecific(key: isMain) != nil)
      }
    }
    #expect(wasOnMain)
  }
}
