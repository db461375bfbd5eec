#if Foundation
import ClientDependencies
import Foundation
import FoundationNetworking
import Testing

@Suite struct URLSessionTests {
  @Dependency(\.urlSession) private var urlSession

  @Test func `the live session is URLSession.shared`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(urlSession === URLSession.shared)
    }
  }

  @Test func `a request that a test did not override reports an issue with the URL, and fails`()
    async throws
  {
    let url = try #require(URL(string: "http://localhost/song.wav"))
    await withKnownIssue {
      await #expect(throws: (any Error).self) { try await urlSession.data(from: url) }
    } matching: { issue in
      let said = issue.comments.first?.rawValue
      return said?.contains("@Dependency(\\.urlSession)") == true
        && said?.contains("http://localhost/song.wav") == true
    }
  }

  @Test func `a test can override the URL session`() {
    let own = URLSession(configuration: .ephemeral)
    withDependencies {
      $0.urlSession = own
    } operation: {
      #expect(urlSession === own)
    }
  }
}
#endif
