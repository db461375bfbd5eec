import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Testing

// A client with labeled parameters, a default, and a live value that has dependencies.

private struct Movie: Equatable, Sendable {
  var id: Int
  static let mock = Movie(id: 1)
}

@DependencyClient
private struct APIClient: Sendable {
  var fetchMovies: @Sendable () async throws -> [Movie]
  var fetchMovie: @Sendable (_ id: Int) async throws -> Movie
  var search: @Sendable (_ query: String) async throws -> [Movie]
  var fetchDetails: @Sendable (_ id: Int, _ includeCredits: Bool) async throws -> String
}

extension APIClient: DependencyKey {
  static let liveValue = APIClient(
    fetchMovies: { [Movie(id: 7)] },
    fetchMovie: { Movie(id: $0) },
    search: { query in query.isEmpty ? [] : [Movie(id: query.count)] },
    fetchDetails: { id, includeCredits in "\(id) \(includeCredits)" })

  static let previewValue = APIClient(
    fetchMovies: { [.mock] },
    fetchMovie: { _ in .mock },
    search: { _ in [.mock] },
    fetchDetails: { _, _ in "" })

  static var testValue: APIClient { APIClient() }
}

@DependencyClient
private struct SettingsClient: Sendable {
  var isFeatureEnabled: @Sendable () -> Bool = { false }
}

@DependencyClient
private struct FeatureClient: Sendable {
  var fetch: @Sendable (_ id: Int) async throws -> String
}

extension FeatureClient: DependencyKey {
  static var liveValue: FeatureClient {
    @Dependency(\.apiClient) var apiClient
    return FeatureClient(
      fetch: { id in "movie \(try await apiClient.fetchMovie(id: id).id)" })
  }
  static var testValue: FeatureClient { FeatureClient() }
}

extension DependencyValues {
  fileprivate var apiClient: APIClient {
    get { self[APIClient.self] }
    set { self[APIClient.self] = newValue }
  }
  fileprivate var featureClient: FeatureClient {
    get { self[FeatureClient.self] }
    set { self[FeatureClient.self] = newValue }
  }
}

@Suite(.dependencies) struct APIClientArticleTests {
  @Dependency(\.apiClient) private var apiClient
  @Dependency(\.featureClient) private var featureClient

  @Test func `the live value is used if the context is live`() async throws {
    try await withDependencies {
      $0.context = .live
    } operation: {
      let movies = try await apiClient.fetchMovies()
      #expect(movies == [Movie(id: 7)])
      let found = try await apiClient.search(query: "abc")
      #expect(found == [Movie(id: 3)])
      let details = try await apiClient.fetchDetails(id: 1, includeCredits: true)
      #expect(details == "1 true")
    }
  }

  @Test func `the preview value is used in previews`() async throws {
    try await withDependencies {
      $0.context = .preview
    } operation: {
      let movie = try await apiClient.fetchMovie(id: 9)
      #expect(movie == .mock)
    }
  }

  @Test func `calling any endpoint of the test value without an override fails the test`() async {
    await expectUnimplemented("APIClient.fetchMovies") { _ = try? await apiClient.fetchMovies() }
    await expectUnimplemented("APIClient.search") {
      _ = try? await apiClient.search(query: "a")
    }
  }

  @Test func `a live value's own dependency can be overridden`() async throws {
    try await withDependencies {
      $0.context = .live
      $0.apiClient.fetchMovie = { Movie(id: $0 * 10) }
    } operation: {
      let text = try await featureClient.fetch(id: 4)
      #expect(text == "movie 40")
    }
  }

  @Test func `an unimplemented endpoint with a default returns the default`() {
    expectUnimplemented("SettingsClient.isFeatureEnabled") {
      #expect(!SettingsClient().isFeatureEnabled())
    }
  }
}
