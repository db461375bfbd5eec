import ClientDependencies
import Foundation
import Testing

@Suite struct MainSchedulersTests {
  @Dependency(\.mainQueue) private var mainQueue
  @Dependency(\.mainRunLoop) private var mainRunLoop

  @Test func `a missing scheduler override is an issue, and the scheduled work runs`() {
    var ran = 0
    withKnownIssue {
      mainQueue.schedule { ran += 1 }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.mainQueue)") == true
    }
    withKnownIssue {
      mainRunLoop.schedule { ran += 1 }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.mainRunLoop)") == true
    }
    #expect(ran == 2)
  }

  @Test func `an immediate scheduler ends every sleep immediately`() async throws {
    try await withDependencies {
      $0.mainQueue = .immediate
      $0.mainRunLoop = .immediate
    } operation: {
      try await mainQueue.sleep(for: .seconds(3_600))
      try await mainRunLoop.sleep(for: .seconds(3_600))
    }
  }

  @Test func `a model's timer ticks as the test advances the time`() async {
    let queue = DispatchQueue.test
    let ticks = withDependencies {
      $0.mainQueue = queue.eraseToAnyScheduler()
    } operation: {
      mainQueue.timer(interval: .seconds(1))
    }
    await queue.advance(by: .seconds(3))
    var iterator = ticks.makeAsyncIterator()
    for second in 1...3 {
      let start = DispatchQueue.SchedulerTimeType(.init(uptimeNanoseconds: 1))
      #expect(await iterator.next() == start.advanced(by: .seconds(second)))
    }
  }

  @Test func `the live main queue is the system's`() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    await withDependencies {
      $0.context = .live
    } operation: {
      let isMain = await withCheckedContinuation { continuation in
        mainQueue.schedule { continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
      }
      #expect(isMain == true)
    }
  }
}
