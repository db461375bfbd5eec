import ClientDependencies
import Synchronization
import Testing

@Suite struct DependencyValuesTests {
  @Test func `a test sees test values`() {
    #expect(DependencyValues._current.context == .test)
    #expect(DependencyValues._current.number == 3)
    #expect(DependencyValues().number == 3)
  }

  @Test(arguments: [(DependencyContext.live, 1), (.preview, 2), (.test, 3)])
  func `each context has its own value`(context: DependencyContext, number: Int) {
    @Dependency(\.number) var current
    #expect(withDependencies({ $0.context = context }, operation: { current }) == number)
  }

  @Test func `DependencyValues.live, .preview, and .test contain the values of their contexts`() {
    #expect(DependencyValues.live.number == 1)
    #expect(DependencyValues.preview.number == 2)
    #expect(DependencyValues.test.number == 3)
  }

  @Test func `an override survives a change of the context`() {
    @Dependency(\.number) var number
    withDependencies {
      $0.number = 4
      $0.context = .live
    } operation: {
      #expect(number == 4)
    }
  }

  @Test func `a preview without a value of its own uses the live value or else the test value`() {
    #expect(DependencyValues.preview.liveOnly == 42)
    #expect(DependencyValues.preview.interfaceOnly == "test")
  }

  @Test func `each read of a live value in a test is an issue with the read's location`() {
    @Dependency(\.liveOnly) var liveOnly
    for _ in 0..<2 {
      withKnownIssue {
        #expect(liveOnly == 42)
      } matching: { issue in
        let text = issue.comments.first?.rawValue ?? ""
        return text.contains(#"@Dependency(\.liveOnly) has no test value"#)
          && text.contains("\(testModule)/DependencyValuesTests.swift:")
          && text.contains("Key: \(testModule).LiveOnlyKey")
          && text.contains("Value: Swift.Int")
          && issue.sourceLocation?.fileName == "DependencyValuesTests.swift"
      }
    }
  }

  @Test func `an override of a live value in a test is not an issue`() {
    @Dependency(\.liveOnly) var liveOnly
    withDependencies {
      $0.liveOnly += 1
    } operation: {
      #expect(liveOnly == 43)
    }
  }

  @Test func `a missing live value is an issue and the test value is used`() {
    @Dependency(\.interfaceOnly) var text
    withDependencies {
      $0.context = .live
    } operation: {
      withKnownIssue {
        #expect(text == "test")
      } matching: { issue in
        let message = issue.comments.first?.rawValue ?? ""
        return message.contains(#"@Dependency(\.interfaceOnly) has no live value"#)
          && message.contains("withDependencies")
      }
    }
  }

  @Test func `the issue about a key without a property contains the key's name`() {
    @Dependency(InterfaceOnlyKey.self) var text
    withKnownIssue {
      _ = withDependencies({ $0.context = .live }, operation: { text })
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(InterfaceOnlyKey.self)") == true
    }
  }

  @Test func `a missing value is reported with the reader's location and the property's name`() {
    withKnownIssue {
      _ =
        DependencyValues._current[
          LiveOnlyKey.self, fileID: "Module/File.swift", filePath: "/File.swift", line: 7,
          column: 3,
          function: "lent"
        ]
    } matching: { issue in
      let text = issue.comments.first?.rawValue ?? ""
      return text.contains(#"@Dependency(\.lent)"#) && text.contains("Module/File.swift:7")
    }
  }

  @Test func `a missing value that top-level code reads is reported with the key's name`() {
    withKnownIssue {
      _ =
        DependencyValues._current[
          LiveOnlyKey.self, fileID: "Jukebox/main.swift", filePath: "/main.swift", line: 7,
          column: 3, function: "Jukebox"
        ]
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(LiveOnlyKey.self)") == true
    }
    let file: StaticString = "Jukebox/main.swift"
    prepareDependencies({ $0[NumberKey.self, function: "Jukebox"] = 10 }, fileID: file)
    withKnownIssue {
      prepareDependencies({ $0[NumberKey.self, function: "Jukebox"] = 11 }, fileID: file)
    } matching: {
      "\($0)".contains("@Dependency(NumberKey.self) is prepared too late")
    }
  }

  @Test func `a key may turn off the issue about its missing live value`() {
    @Dependency(\.quiet) var quiet
    #expect(withDependencies({ $0.context = .live }, operation: { quiet }) == "quiet")
  }

  @Test(arguments: Elsewhere.allCases)
  func `reading a missing test value on another thread fails the test of the @Dependency`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      @Dependency(\.liveOnly) var liveOnly
      await place.run { [_liveOnly] in _ = _liveOnly.wrappedValue }
    } matching: {
      $0.comments.first?.rawValue.contains(#"@Dependency(\.liveOnly) has no test value"#) == true
    }
  }
}
