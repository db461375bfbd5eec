import Testing

@testable import ClientDependencies

@Suite struct WithDependenciesFromTests {
  @Test func `objects that a model creates get the model's dependencies`() {
    let parent = withDependencies({ $0.number = 5 }, operation: { Model() })
    let child = withDependencies(from: parent) { Model() }
    #expect(child.number == 5)
  }

  @Test func `an update closure adds to a model's dependencies`() {
    let parent = withDependencies({ $0.number = 5 }, operation: { Model() })
    let child = withDependencies(from: parent) {
      $0.interfaceOnly = "added"
    } operation: {
      Model()
    }
    #expect(child.number == 5)
    #expect(child.text == "added")
  }

  @Test func `the current values take precedence over the model's values`() {
    let parent = withDependencies({ $0.number = 5 }, operation: { Model() })
    withDependencies {
      $0.number = 6
    } operation: {
      #expect(withDependencies(from: parent) { Model().number } == 6)
    }
  }

  @Test func `an object passes on the dependencies that its superclass captured`() {
    let parent = withDependencies({ $0.number = 5 }, operation: { [Submodel()] }).first
    #expect(withDependencies(from: parent ?? Submodel()) { Model().number } == 5)
  }

  @Test func `an object without a @Dependency remembers the scope in which it was created`() {
    let plain = withDependencies({ $0.number = 5 }, operation: { Plain() })
    #expect(withDependencies(from: plain) { Model().number } == 5)
  }

  @Test func `an object created in nested scopes remembers the overrides of both scopes`() {
    func nested<Made: AnyObject>(_ make: () -> Made) -> Made {
      withDependencies {
        $0.number = 5
      } operation: {
        withDependencies({ $0.interfaceOnly = "inner" }, operation: make)
      }
    }
    for object in [nested(Model.init) as AnyObject, nested(Plain.init)] {
      let child = withDependencies(from: object) { Model() }
      #expect(child.number == 5)
      #expect(child.text == "inner")
    }
  }

  @Test func `returning an existing object from a scope does not change the object's scope`() {
    let model = Model()
    withDependencies({ $0.number = 5 }, operation: { model })
    #expect(withDependencies(from: model) { Model().number } == 3)
  }

  @Test func `each of thousands of objects keeps its own scope`() {
    let objects = (0..<5_000).map { index in
      withDependencies({ $0.number = index }, operation: { Plain() })
    }
    for (index, object) in objects.enumerated() where index % 97 == 0 {
      #expect(withDependencies(from: object) { Model().number } == index)
    }
  }

  @Test func `an asynchronous operation reads the model's dependencies`() async {
    let parent = withDependencies({ $0.number = 5 }, operation: { Model() })
    let number = await withDependencies(from: parent) {
      await Task.yield()
      return Model().number
    }
    #expect(number == 5)
    let changed = await withDependencies(from: parent) {
      await Task.yield()
      $0.number += 1
    } operation: {
      await Task.yield()
      return Model().number
    }
    #expect(changed == 6)
  }

  @Test(arguments: Elsewhere.allCases)
  func `objects that a model creates on another thread report to the model's test`(place: Elsewhere)
    async
  {
    let parent = UncheckedSendable(Model())
    let tests = Recorder<RunningTest?>()
    await place.run {
      let child = withDependencies(from: parent.value) { Model() }
      tests.append(child.test)
      tests.append(withDependencies(from: child) { Model() }.test)
    }
    #expect(tests.all == [RunningTest.current, RunningTest.current])
    #expect(RunningTest.current != nil)
  }

  @Test(arguments: Elsewhere.allCases)
  func `objects that a model creates with overrides on another thread report to the model's test`(
    place: Elsewhere
  ) async {
    let parent = UncheckedSendable(Model())
    let tests = Recorder<RunningTest?>()
    await place.run {
      for update in Model.updates {
        tests.append(withDependencies(from: parent.value, update) { Model() }.test)
        let current = withDependencies(update) { withDependencies(from: parent.value) { Model() } }
        tests.append(current.test)
      }
    }
    #expect(tests.all == Array(repeating: RunningTest.current, count: 2 * Model.updates.count))
  }

  @Test(arguments: Elsewhere.allCases)
  func `an object created by a model on another thread reports missing values to the model's test`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      let parent = UncheckedSendable(Model())
      await place.run { _ = withDependencies(from: parent.value) { MissingReading() }.liveOnly }
    } matching: {
      $0.comments.first?.rawValue.hasPrefix(#"@Dependency(\.liveOnly) has no test value"#) == true
    }
  }

  @Test func `a model without dependencies is an issue, and the current values are used`() {
    let stranger = Plain()
    withKnownIssue {
      #expect(withDependencies(from: stranger) { Model().number } == 3)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Plain") == true
    }
  }
}

private class Model {
  @Dependency(\.number) var number
  @Dependency(\.interfaceOnly) var text

  /// The test in which the model's `@Dependency` was created.
  var test: RunningTest? { _number.captured.origin.test }

  /// Changes of a model's context, cache, and overrides.
  static let updates: [@Sendable (inout DependencyValues) -> Void] = [
    { $0.context = .preview },
    { $0.startCache() },
    { $0.number = 9 },
  ]
}

private struct MissingReading {
  @Dependency(\.liveOnly) var liveOnly
}

private final class Submodel: Model {
  let something = 1
}

private final class Plain {}
