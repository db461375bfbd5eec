import ClientDependenciesTestSupport
import Foundation
import Testing

@Suite struct PrepareDependenciesTests {
  @Dependency(\.number) private var number

  @Test func `prepareDependencies returns its closure's result and rethrows its error`() {
    struct Refusal: Error {}
    #expect(prepareDependencies { _ in 42 } == 42)
    #expect(throws: Refusal.self) { try prepareDependencies { _ in throw Refusal() } }
  }

  @Test(arguments: Elsewhere.allCases)
  func `a test's @Dependency reads a prepared value, even on another thread`(
    place: Elsewhere
  ) async {
    prepareDependencies { $0.number = 10 }
    #expect(number == 10)
    #expect(DependencyValues._current.number == 10)
    let elsewhere = Recorder<Int>()
    await place.run { [_number] in elsewhere.append(_number.wrappedValue) }
    #expect(elsewhere.all == [10])
  }

  @Test(arguments: 0..<20)
  func `a test does not see the prepared values of other tests`(seconds: Int) async {
    @Dependency(\.date.now) var now
    let date = Date(timeIntervalSince1970: Double(seconds))
    prepareDependencies { $0.date.now = date }
    await Task.yield()
    #expect(now == date)
  }

  @Test func `if one call prepares a value several times, the last value is used`() {
    prepareDependencies {
      $0.number = 10
      $0.number += 1
      $0.number += 1
    }
    #expect(number == 12)
  }

  @Test func `preparing an endpoint keeps the endpoints that were prepared before`() throws {
    @Dependency(\.greeter) var greeter
    prepareDependencies {
      $0[GreeterClient.self].greet = { "prepared \($0)" }
      $0.greeter.isOpen = { true }
    }
    #expect(try greeter.greet("Ada") == "prepared Ada")
    #expect(greeter.isOpen())
  }

  @Test func `reads in an update closure return the values that the closure has set`() {
    let seen = prepareDependencies {
      $0.number = 10
      return [$0.number, number]
    }
    #expect(seen == [10, 10])
  }

  @Test func `within its scope, an override takes precedence over a prepared value`() {
    prepareDependencies { $0.number = 10 }
    withDependencies {
      $0.number += 1
    } operation: {
      #expect(number == 11)
    }
    #expect(number == 10)
  }

  @Test func `preparing the live context selects live values`() {
    prepareDependencies {
      $0.context = .live
      $0.interfaceOnly = "prepared"
    }
    @Dependency(\.context) var context
    #expect(context == .live)
    #expect(number == 1)
    #expect(DependencyValues._current.interfaceOnly == "prepared")
  }

  @Test func `a prepared value replaces a missing live value`() {
    withDependencies {
      $0.context = .live
    } operation: {
      prepareDependencies { $0[InterfaceOnlyKey.self] = "prepared" }
      #expect(DependencyValues._current.interfaceOnly == "prepared")
    }
  }

  @Test func `a preview may prepare a value several times, even after reading the value`() {
    withDependencies {
      $0.context = .preview
    } operation: {
      #expect(number == 2)
      prepareDependencies { $0.number = 10 }
      #expect(number == 10)
      prepareDependencies { $0.number = 11 }
      #expect(number == 11)
    }
  }

  @Test func `preparing a value after a read is an issue with the read's location`() {
    #expect(number == 3)
    withKnownIssue {
      prepareDependencies { $0.number = 10 }
    } matching: { issue in
      let text = "\(issue)"
      return text.contains(#"@Dependency(\.number)"#) && text.contains("it was read before")
        && text.contains("First read at: \(#fileID):6")
        && issue.sourceLocation?.fileID == #fileID
    }
    #expect(number == 3)
  }

  @Test func `preparing a value again has no effect and is an issue that names the first`() {
    prepareDependencies { $0[NumberKey.self] = 10 }
    let line = #line - 1
    withKnownIssue {
      prepareDependencies { $0[NumberKey.self] = 11 }
    } matching: { issue in
      let text = "\(issue)"
      return text.contains("@Dependency(NumberKey.self)")
        && text.contains("it was prepared before")
        && text.contains("Key: \(String(reflecting: NumberKey.self))")
        && text.contains("Value: Swift.Int")
        && text.contains("Prepared at: \(#fileID):\(line)") && text.contains("withDependencies")
    }
    #expect(number == 10)
  }

  @Test func `preparing the context after a value was read is an issue and has no effect`() {
    #expect(number == 3)
    withKnownIssue {
      prepareDependencies { $0.context = .live }
    } matching: {
      "\($0)".contains(#"@Dependency(\.context)"#)
    }
    #expect(DependencyValues._current.context == .test)
  }

  @Test(.dependencies) func `a test with its own cache prepares values in that cache`() {
    prepareDependencies { $0.number = 10 }
    #expect(number == 10)
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      #expect(DependencyValues._current.number == 3)
    }
  }
}
