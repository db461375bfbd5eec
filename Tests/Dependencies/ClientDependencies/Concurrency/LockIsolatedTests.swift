import ClientDependencies
import Testing

@Suite struct LockIsolatedTests {
  @Test func `no change made by concurrent tasks is lost`() async {
    let numbers = LockIsolated<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<500 { group.addTask { numbers.withValue { $0.append(number) } } }
    }
    #expect(numbers.value.sorted() == Array(0..<500))
    #expect(numbers.count == 500)
  }

  @Test func `a new value may be computed from the old value`() {
    let number = LockIsolated(1)
    number.setValue(number.value + 1)
    #expect(number.value == 2)
    #expect(number.withValue { $0 * 10 } == 20)
  }

  @Test func `inside withValue, other reads still return the value before the change`() {
    let text = LockIsolated("a")
    text.withValue {
      $0 += "b"
      #expect(text.value == "a")
      #expect(text.count == 1)
      #expect(text.withValue { $0 } == "a")
    }
    #expect(text.value == "ab")
  }

  @Test func `an error thrown during a change is rethrown, and earlier changes stay`() {
    let text = LockIsolated("a")
    #expect(throws: CancellationError.self) {
      try text.withValue { text in
        text += "b"
        throw CancellationError()
      }
    }
    #expect(text.value == "ab")
  }

  @Test func `a value that is not Sendable is used only inside the lock`() {
    final class Box { var number = 0 }
    let box = LockIsolated(Box())
    box.withValue { $0.number = 3 }
    #expect(box.number == 3)
  }
}
