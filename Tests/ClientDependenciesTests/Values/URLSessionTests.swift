import ClientDependencies
import Foundation
import FoundationNetworking
import Testing

@Suite struct URLSessionTests {
  @Dependency(\.urlSession) private var urlSession

  @Test func `at work it is the shared one`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(urlSession === URLSession.shared)
    }
  }

  @Test func `a test gives its own`() {
    let own = URLSession(configuration: .ephemeral)
    withDependencies {
      $0.urlSession = own
    } operation: {
      #expect(urlSession === own)
    }
  }
}
