import Dispatch
import Testing

@testable import ClientDependencies

@Suite struct ConstructionTests {
  @Test func `the issue about a cycle names the keys in order and the locations of the reads`() {
    @Dependency(FirstKey.self) var first
    withKnownIssue {
      #expect(first == "first of second of preview of first")
    } matching: { issue in
      let text = "\(issue)"
      return text.contains("FirstKey → SecondKey → FirstKey")
        && text.contains("SecondKey is read at \(testModule)/ConstructionTests.swift")
        && text.contains("The preview value of 'FirstKey' stands in")
    }
    // The preview value that broke the cycle was not cached, so a second read returns the same
    // result.
    #expect(first == "first of second of preview of first")
  }

  @Test
  func `a live value that reads its own key during its creation gets the key's test value`() {
    @Dependency(SelfishKey.self) var selfish
    withDependencies {
      $0.context = .live
    } operation: {
      withKnownIssue {
        #expect(selfish == "live of test")
      } matching: {
        "\($0)".contains("SelfishKey → SelfishKey")
      }
    }
  }

  @Test func `stored values that depend on each other in a cycle are an issue`() {
    withDependencies {
      $0.context = .live
    } operation: {
      withKnownIssue {
        @Dependency(StoredFirstKey.self) var first
        #expect(first == "first of second of test")
      } matching: {
        "\($0)".contains("StoredFirstKey → StoredSecondKey → StoredFirstKey")
      }
    }
  }

  @Test func `a dependency cycle through a child task is detected`() async {
    let value = Task {
      withKnownIssue {
        #expect(DependencyValues._current[OuterOfTaskKey.self] == "waited")
      } matching: {
        "\($0)".contains("OuterOfTaskKey → InnerOfTaskKey → OuterOfTaskKey")
      }
    }
    await value.value
  }

  @Test func `two values that read a third value are not a cycle`() {
    @Dependency(DiamondKey.self) var diamond
    #expect(diamond == ["leaf", "leaf"])
  }

  @Test func `a value's creation may wait for threads that read other values`() async {
    let value = await onThread { DependencyValues._current[WaitingKey.self, function: ""] }
    #expect(value == 3)
  }

  @Test
  func `an optional dependency without a live value reports an issue and uses the test value`() {
    withDependencies {
      $0.context = .live
    } operation: {
      withKnownIssue {
        #expect(DependencyValues._current[AbsentKey.self] == 7)
      } matching: {
        "\($0)".contains("AbsentKey.self) has no live value")
      }
      #expect(DependencyValues._current[AbsentLiveKey.self] == nil)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a cycle that cannot be broken ends the process with a message that names the keys`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = DependencyValues.live[EndlessFirstKey.self]
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EndlessFirstKey → EndlessSecondKey → EndlessFirstKey"))
  }
}

private enum AbsentKey: TestDependencyKey {
  static var testValue: Int? { 7 }
}

private enum AbsentLiveKey: DependencyKey {
  static var liveValue: Int? { nil }
  static var testValue: Int? { 7 }
}

private enum FirstKey: DependencyKey {
  static var liveValue: String { "live" }
  static var previewValue: String { "preview of first" }
  static var testValue: String {
    @Dependency(SecondKey.self) var second
    return "first of \(second)"
  }
}

private enum SecondKey: TestDependencyKey {
  static var testValue: String {
    @Dependency(FirstKey.self) var first
    return "second of \(first)"
  }
}

private enum SelfishKey: DependencyKey {
  static var liveValue: String {
    @Dependency(SelfishKey.self) var selfish
    return "live of \(selfish)"
  }
  static var testValue: String { "test" }
}

private enum StoredFirstKey: DependencyKey {
  static let liveValue: String = {
    @Dependency(StoredSecondKey.self) var second
    return "first of \(second)"
  }()
  static let testValue = "test"
}

private enum StoredSecondKey: DependencyKey {
  static let liveValue: String = {
    @Dependency(StoredFirstKey.self) var first
    return "second of \(first)"
  }()
  static let testValue = "test"
}

private enum OuterOfTaskKey: TestDependencyKey {
  static var previewValue: String { "preview" }
  static var testValue: String {
    let done = DispatchSemaphore(value: 0)
    Task {
      _ = DependencyValues._current[InnerOfTaskKey.self]
      done.signal()
    }
    done.wait()
    return "waited"
  }
}

private enum InnerOfTaskKey: TestDependencyKey {
  static var testValue: String { DependencyValues._current[OuterOfTaskKey.self] }
}

private enum LeafKey: TestDependencyKey {
  static var testValue: String { "leaf" }
}

private enum LeftKey: TestDependencyKey {
  static var testValue: String { DependencyValues._current[LeafKey.self] }
}

private enum RightKey: TestDependencyKey {
  static var testValue: String { DependencyValues._current[LeafKey.self] }
}

private enum DiamondKey: TestDependencyKey {
  static var testValue: [String] {
    [DependencyValues._current[LeftKey.self], DependencyValues._current[RightKey.self]]
  }
}

/// A key whose value, during its construction, waits for a thread that reads another key.
private enum WaitingKey: TestDependencyKey {
  static var testValue: Int {
    let done = DispatchSemaphore(value: 0)
    let result = Lock(0)
    DispatchQueue(label: "reader").async {
      let value = DependencyValues._current.number
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    return result.withLock { $0 }
  }
}

private enum EndlessFirstKey: DependencyKey {
  static var liveValue: String { DependencyValues._current[EndlessSecondKey.self] }
}

private enum EndlessSecondKey: DependencyKey {
  static var liveValue: String { DependencyValues._current[EndlessFirstKey.self] }
}
