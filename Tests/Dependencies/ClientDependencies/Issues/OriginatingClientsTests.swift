import ClientDependencies
import Testing

@Suite struct OriginatingClientsTests {
  @Dependency(OriginatingClient.self) private var client

  @Test(arguments: Elsewhere.allCases)
  func `an unimplemented endpoint reports to the test that read its client`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      let client = client
      await place.run { client.call() }
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'OriginatingClient.call'"
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `an endpoint fails the test of the @Dependency if another thread reads the client`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      @Dependency(OriginatingClient.self) var client
      await place.run { [_client] in _client.wrappedValue.call() }
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `a call of an override's unimplemented endpoint fails the test, wherever the call runs`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      await withDependencies {
        $0[OriginatingClient.self] = OriginatingClient(note: "overridden")
      } operation: {
        let client = client
        #expect(client.note == "overridden")
        await place.run { client.call() }
      }
    }
  }
}

@Suite struct CapturedOriginTests {
  @Test(arguments: Elsewhere.allCases)
  func `an endpoint fails the test of the @Dependency if another thread creates the client`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      @Dependency(CapturingClient.self) var client
      await place.run { [_client] in _client.wrappedValue.call() }
    }
  }
}

/// A client without the macro.
private struct CapturingClient: TestDependencyKey {
  var call: @Sendable () -> Void = { [origin = IssueOrigin.current] in
    reportUnimplemented("CapturingClient.call", from: origin)
  }

  static var testValue: CapturingClient { CapturingClient() }
}

/// A minimal client in the form that the macro generates.
private struct OriginatingClient: TestDependencyKey {
  private var origin: IssueOrigin = ._current { (client: inout Self, origin) in
    client.origin = origin
  }
  var note: String

  init(note: String = "") { self.note = note }

  func call() { reportUnimplemented("OriginatingClient.call", from: origin) }

  static let testValue = OriginatingClient()
}
