import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

@DependencyClient
struct JournalClient: Sendable {
  var entry: @Sendable (_ text: String) -> String = { _ in "" }
}

extension JournalClient: DependencyKey {
  static var liveValue: JournalClient {
    JournalClient(
      entry: { text in
        @Dependency(\.date.now) var now
        return "\(Int(now.timeIntervalSince1970)) \(text)"
      })
  }

  static var testValue: JournalClient { JournalClient() }
}

@Suite struct LifetimesTests {
  @Test func `a task uses the overrides of the scope that starts it`() async {
    let takes = await withDependencies {
      $0.date.now = Date(timeIntervalSince1970: 60)
      $0.uuid = .incrementing
    } operation: {
      async let child = Studio().beginTake().started
      let task = Task { Studio().beginTake().started }
      return await [child, task.value]
    }
    #expect(takes == [Date(timeIntervalSince1970: 60), Date(timeIntervalSince1970: 60)])
  }

  @Test func `an object keeps its scope's overrides, but the caller's overrides take precedence`() {
    let meter = withDependencies {
      $0.microphone.level = { 1 }
    } operation: {
      LevelMeter()
    }
    #expect(meter.isClipping)
    withDependencies {
      $0.microphone.level = { 0.5 }
    } operation: {
      #expect(!meter.isClipping)
    }
  }

  @Test func `a live value reads its own dependencies at the time of the call`() {
    @Dependency(JournalClient.self) var journal
    withDependencies {
      $0.context = .live
      $0.date.now = Date(timeIntervalSince1970: 7)
    } operation: {
      #expect(journal.entry(text: "tuned") == "7 tuned")
    }
  }
}
