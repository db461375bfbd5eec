import ClientDependencies
import Foundation
import Testing

@Suite struct OpenURLTests {
  @Dependency(\.openURL) private var openURL
  private let url = URL(filePath: "/tmp/a song.wav")

  @Test func `a missing override in a test is an issue, and the URL is not opened`() async {
    await withKnownIssue {
      #expect(await openURL(url) == false)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.openURL)") == true
    }
  }

  @Test func `openURL passes the URL to a test's handler and returns the handler's result`() async {
    let opened = ActorIsolated<[URL]>([])
    await withDependencies {
      $0.openURL = .init { url in
        await opened.withValue { $0.append(url) }
        return true
      }
    } operation: {
      await openURL(url)
      #expect(await openURL(url))
    }
    #expect(await opened.value == [url, url])
  }
}
