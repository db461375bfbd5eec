import ClientDependencies
import Testing

@Suite struct DependencyKeyTests {
  private enum HiddenKey: DependencyKey { static let liveValue = 42 }

  @Test func `the issue about a private key contains the key's name without a memory address`() {
    withKnownIssue {
      #expect(HiddenKey.testValue == 42)
    } matching: { issue in
      let text = issue.comments.first?.rawValue ?? ""
      return text.contains("Key: \(testModule).DependencyKeyTests.HiddenKey\n")
    }
  }

  @Test func `the preview value replaces a missing test value`() {
    @Dependency(ShownKey.self) var shown
    withKnownIssue {
      #expect(shown == "preview")
    } matching: {
      $0.comments.first?.rawValue.contains("@Dependency(ShownKey.self) has no test value") == true
    }
  }

  @Test func `the issue for reading a missing test value directly contains the key's name`() {
    withKnownIssue {
      #expect(LiveOnlyKey.testValue == 42)
    } matching: { issue in
      let text = issue.comments.first?.rawValue ?? ""
      return text.contains("@Dependency(LiveOnlyKey.self) has no test value")
        && text.contains("Key: \(testModule).LiveOnlyKey")
        && text.contains("Value: Swift.Int")
        && text.contains("'withDependencies'")
        && !text.contains("Read at:")
    }
  }

  @Test func `if a test value reads a value that is missing, the issue points to the outer read`() {
    @Dependency(BorrowingKey.self) var borrowed
    let line = #line - 1
    withKnownIssue {
      #expect(borrowed == 43)
    } matching: {
      $0.comments.first?.rawValue.contains("@Dependency(LiveOnlyKey.self)") == true
        && $0.sourceLocation?.fileID == #fileID && $0.sourceLocation?.line == line
    }
  }

  @Test func `overriding a live-only value with its default test value is not an issue`() async {
    @Dependency(\.liveOnly) var liveOnly
    withDependencies {
      $0.liveOnly = LiveOnlyKey.testValue
    } operation: {
      #expect(liveOnly == 42)
    }
    await withDependencies {
      await Task.yield()
      $0.liveOnly = LiveOnlyKey.testValue
    } operation: {
      #expect(liveOnly == 42)
    }
  }

  @Test
  func `a test value's own issue is reported for a read, but not for an in-place change`() {
    @Dependency(AskingKey.self) var asking
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      withDependencies {
        $0[AskingKey.self].append(1)
      } operation: {
        #expect(asking == [0, 1])
      }
    }
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      prepareDependencies { $0[AskingKey.self].append(2) }
      #expect(asking == [0, 2])
    }
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      withKnownIssue { #expect(asking == [0]) }
    }
  }

  @Test
  func `changing a missing live value for one scope leaves the value missing elsewhere`() {
    @Dependency(\.interfaceOnly) var text
    withDependencies {
      $0.context = .live
      $0.interfaceOnly += "!"
    } operation: {
      #expect(text == "test!")
    }
    withDependencies {
      $0.context = .live
    } operation: {
      withKnownIssue { #expect(text == "test") }
    }
  }
}

/// A key whose test value derives from another key's test value, which is missing.
private enum BorrowingKey: TestDependencyKey {
  static var testValue: Int { LiveOnlyKey.testValue + 1 }
}

/// A key whose test value reports its own issue.
private enum AskingKey: TestDependencyKey {
  static var testValue: [Int] {
    if shouldReportUnimplemented { reportIssue("This test asks.") }
    return [0]
  }
}

private enum ShownKey: DependencyKey {
  static let liveValue = "live"
  static let previewValue = "preview"
}
