import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

// A client whose errors can be compared although they wrap other errors.

@DependencyClient
private struct DataClient: Sendable {
  enum Error: Swift.Error, Equatable, CustomDebugStringConvertible, Sendable {
    struct WrappedError: Swift.Error, Equatable, Sendable {
      let error: any Swift.Error
      var localizedDescription: String { error.localizedDescription }
      static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.localizedDescription == rhs.localizedDescription
      }
    }

    case networkError(WrappedError)
    case decodingError(WrappedError)

    var debugDescription: String {
      switch self {
      case .networkError(let error): "Network: \(error.localizedDescription)"
      case .decodingError(let error): "Decoding: \(error.localizedDescription)"
      }
    }
  }

  var fetchData: @Sendable () async throws(Error) -> Data
}

private struct Offline: LocalizedError {
  var errorDescription: String? { "offline" }
}

@Suite struct DataClientArticleTests {
  @Test func `an endpoint throws its client's own errors`() async {
    let error = DataClient.Error.networkError(.init(error: Offline()))
    let client = DataClient(fetchData: { () async throws(DataClient.Error) in throw error })
    await #expect(throws: error) { try await client.fetchData() }
    #expect(error != .decodingError(.init(error: Offline())))
    #expect(error.debugDescription == "Network: offline")
  }

  @Test func `an unimplemented endpoint reports an issue and returns no data`() async {
    await expectUnimplemented("DataClient.fetchData") {
      let data = try await DataClient().fetchData()
      #expect(data.isEmpty)
    }
  }
}
