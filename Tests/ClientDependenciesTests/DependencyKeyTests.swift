import ClientDependencies
import Testing

@Suite struct DependencyKeyTests {
  @Test func `a missing test value is replaced by that of previews`() {
    @Dependency(ShownKey.self) var shown
    withKnownIssue {
      #expect(shown == "preview")
    } matching: {
      $0.comments.first?.rawValue.contains("@Dependency(ShownKey.self) has no test value") == true
    }
  }

  @Test func `a key that is asked itself for a missing test value says what is missing`() {
    withKnownIssue {
      #expect(LiveOnlyKey.testValue == 42)
    } matching: { issue in
      let text = issue.comments.first?.rawValue ?? ""
      return text.contains("@Dependency(LiveOnlyKey.self) has no test value")
        && text.contains("Key: ClientDependenciesTests.LiveOnlyKey")
        && text.contains("Value: Swift.Int")
        && text.contains("'withDependencies'")
        && !text.contains("Read at:")
    }
  }
}

private enum ShownKey: DependencyKey {
  static let liveValue = "live"
  static let previewValue = "preview"
}
