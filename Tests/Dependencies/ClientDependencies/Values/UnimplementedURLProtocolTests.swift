#if Foundation
import Foundation
import FoundationNetworking
import Testing

@testable import ClientDependencies

@Suite struct UnimplementedURLProtocolTests {
  @Test func `a released unimplemented session releases its issue origin`() {
    weak var session: URLSession?
    weak var memory: (any URLSessionDelegate)?
    do {
      let made = URLSession.unimplemented
      (session, memory) = (made, made.delegate)
      #expect(memory != nil)
      withExtendedLifetime(made) {}
    }
    #expect(session == nil)
    #expect(memory == nil)
  }

  @Test func `releasing one unimplemented session does not affect another session`() async throws {
    let url = try #require(URL(string: "http://localhost/"))
    await withKnownIssue {
      let kept = URLSession.unimplemented
      _ = URLSession.unimplemented
      await #expect(throws: (any Error).self) { try await kept.data(from: url) }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("'http://localhost/' was requested") == true
    }
  }
}
#endif
