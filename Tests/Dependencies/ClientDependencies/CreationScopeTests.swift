import Testing

@testable import ClientDependencies

/// Live clients read the overrides at the call, or else the overrides captured at their creation.
@Suite struct CreationScopeTests {
  private let client = withDependencies {
    $0.number = 10
    $0.interfaceOnly = "captured"
  } operation: {
    EchoClient.liveValue
  }

  @Test func `outside the scope of its creation, a client keeps that scope's overrides`() async {
    #expect(client.number() == 10)
    #expect(await client.text() == "captured")
  }

  @Test func `an override at the call takes precedence, and other captured overrides remain`() async
  {
    await withDependencies {
      $0.number = 20
    } operation: {
      #expect(client.number() == 20)
      #expect(await client.text() == "captured")
    }
    #expect(client.number() == 10)
  }

  @Test func `a client from an outer scope reads the override of the inner scope that calls it`() {
    withDependencies {
      $0.number = 10
    } operation: {
      let outer = EchoClient.liveValue
      withDependencies {
        $0.number = 20
      } operation: {
        #expect(outer.number() == 20)
      }
      #expect(outer.number() == 10)
    }
  }

  @Test func `a client created without overrides uses the overrides at each call`() {
    let client = EchoClient.liveValue
    #expect(client.number() == 3)
    withDependencies {
      $0.number = 20
    } operation: {
      #expect(client.number() == 20)
    }
  }

  @Test func `a task that a call starts reads the same overrides as the call`() async {
    #expect(await client.task() == "10 captured")
    await withDependencies {
      $0.number = 20
    } operation: {
      #expect(await client.task() == "20 captured")
    }
  }

  @Test func `a client that another client calls reads the overrides that the caller captured`()
    async
  {
    let inner = EchoClient.liveValue
    let outer = withDependencies {
      $0.number = 10
      $0[EchoClient.self] = inner
    } operation: {
      RelayClient.liveValue
    }
    #expect(outer.number() == 10)
  }

  @Test func `a client that was cached during an override does not keep the override`() {
    withDependencies {
      $0.number = 10
    } operation: {
      @Dependency(EchoClient.self) var client
      #expect(client.number() == 10)
    }
    @Dependency(EchoClient.self) var client
    #expect(client.number() == 3)
  }

  @Test func `a @Dependency in a cached value does not keep the first reader's overrides`() {
    withDependencies {
      $0.number = 10
    } operation: {
      @Dependency(HolderKey.self) var holder
      #expect(holder.number == 10)
    }
    @Dependency(HolderKey.self) var holder
    #expect(holder.number == 3)
  }

  @Test func `a client that another value creates inside an override keeps that override`() {
    @Dependency(RelayClient.self) var relay
    #expect(relay.own() == 30)
  }
}

private struct EchoClient: DependencyKey {
  var number: @Sendable () -> Int
  var text: @Sendable () async -> String
  var task: @Sendable () async -> String

  static var liveValue: EchoClient {
    let scope = CreationScope()
    return EchoClient(
      number: { scope.run { read(\.number) } },
      text: { await scope.run { await later(\.interfaceOnly) } },
      task: {
        let task = scope.run { Task { "\(read(\.number)) \(read(\.interfaceOnly))" } }
        return await task.value
      })
  }

  static var testValue: EchoClient { liveValue }
}

private struct RelayClient: DependencyKey {
  var number: @Sendable () -> Int
  var own: @Sendable () -> Int

  static var liveValue: RelayClient {
    let scope = CreationScope()
    let own = withDependencies {
      $0.number = 30
    } operation: {
      EchoClient.liveValue
    }
    return RelayClient(
      number: { scope.run { Dependency(EchoClient.self).wrappedValue.number() } },
      own: { own.number() })
  }

  static var testValue: RelayClient { liveValue }
}

private struct Holder: Sendable {
  @Dependency(\.number) var number
}

private enum HolderKey: DependencyKey {
  static var liveValue: Holder { Holder() }
  static var testValue: Holder { Holder() }
}

private func read<Value>(_ path: any KeyPath<DependencyValues, Value> & Sendable) -> Value {
  Dependency(path).wrappedValue
}

private func later<Value>(_ path: any KeyPath<DependencyValues, Value> & Sendable) async -> Value {
  await Task.yield()
  return read(path)
}
