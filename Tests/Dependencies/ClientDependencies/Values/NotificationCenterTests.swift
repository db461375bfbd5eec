import ClientDependencies
import Foundation
import Testing

@Suite struct NotificationCenterTests {
  @Dependency(\.notificationCenter) private var center

  @Test(arguments: 1...2) func `a test's notifications reach only its own center`(_: Int) {
    let name = Notification.Name("NotificationCenterTests")
    let (own, shared) = (Counter(), Counter())
    let observers = [
      (center, center.addObserver(forName: name, object: nil, queue: nil) { _ in own.increment() }),
      (
        .default,
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
          shared.increment()
        }
      ),
    ]
    center.post(name: name, object: nil)
    for (center, observer) in observers { center.removeObserver(observer) }
    #expect(own.count == 1)
    #expect(shared.count == 0)
  }

  @Test func `the live notification center is NotificationCenter.default`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(center === NotificationCenter.default)
    }
  }
}
