import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Testing

@Suite(.dependencies) struct DependencyEntryTests {
  @Test(arguments: [
    (DependencyContext.live, "live"), (.preview, "preview"), (.test, "test"),
  ])
  func `an entry has a separate value for each context`(context: DependencyContext, name: String) {
    withDependencies {
      $0.context = context
    } operation: {
      @Dependency(\.entryOfAll) var value
      #expect(value.name == name)
    }
  }

  @Test func `an entry can be overridden`() {
    withDependencies {
      $0.entryOfTests.name = "changed"
      $0.sharedEntry = Entry(name: "shared")
    } operation: {
      @Dependency(\.entryOfTests) var value
      @Dependency(SharedKey.self) var shared
      #expect(value.name == "changed")
      #expect(shared.name == "shared")
    }
  }

  @Test func `an entry with only a live value is used in previews and is an issue in tests`() {
    @Dependency(\.liveEntry) var value
    withDependencies {
      $0.context = .preview
    } operation: {
      #expect(value.name == "live")
    }
    withKnownIssue { #expect(value.name == "live") }
  }
}

package struct Entry: Sendable {
  var name: String
}

private typealias SharedKey = DependencyValues.NamedKey

extension DependencyValues {
  @DependencyEntry(liveValue: Entry(name: "live"), previewValue: Entry(name: "preview"))
  fileprivate var entryOfAll = Entry(name: "test")

  @DependencyEntry
  fileprivate var entryOfTests: Entry = .init(name: "test")

  @DependencyEntry("NamedKey")
  package var sharedEntry = Entry(name: "unshared")

  @DependencyEntry(liveValue: Entry(name: "live"))
  fileprivate var liveEntry: Entry
}
