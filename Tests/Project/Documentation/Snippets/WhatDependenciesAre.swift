import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import Testing

private enum Uncontrolled {
  struct Take {
    let id = UUID()
    let started = Date()
  }
}

struct Take: Equatable {
  let id: UUID
  let started: Date
}

struct Studio {
  @Dependency(\.date.now) private var now
  @Dependency(\.uuid) private var uuid

  func beginTake() -> Take {
    Take(id: uuid(), started: now)
  }
}

@Suite struct WhatDependenciesAreTests {
  @Test func `a take uses the date and the identifier of the scope`() {
    let take = withDependencies {
      $0.date.now = Date(timeIntervalSince1970: 60)
      $0.uuid = .incrementing
    } operation: {
      Studio().beginTake()
    }
    #expect(take == Take(id: UUID(0), started: Date(timeIntervalSince1970: 60)))
  }

  @Test func `a take with the system's random numbers is unpredictable`() {
    #expect(Uncontrolled.Take().id != Uncontrolled.Take().id)
  }
}
