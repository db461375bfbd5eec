import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

typealias Observe = @Sendable (Double) -> Void

enum TunerError: UnimplementedEndpointError, Equatable {
  case noSignal
  case unimplemented(_ endpoint: String)
}

@DependencyClient
struct TunerClient: Sendable {
  var deviceCount: @Sendable () -> Int = { 0 }
  var tune: @Sendable (_ frequency: Double, _ within: Duration) async throws -> Void
  var signal: @Sendable () throws(TunerError) -> Double
  var station: @Sendable (_ frequency: Double) -> String?
  @DependencyEndpoint(method: "find") var findByName: @Sendable (_ name: String) throws -> Double
  @DependencyEndpoint var observe: Observe
  @DependencyEndpointIgnored var describe: @Sendable () -> String = { "tuner" }
}

extension TunerClient: TestDependencyKey {
  static var testValue: TunerClient { TunerClient() }
}

@Suite struct MacrosTests {
  @Dependency(TunerClient.self) private var tuner

  @Test func `the argument labels of an endpoint generate a method`() async throws {
    let tuned = LockIsolated<[Double]>([])
    var tuner = TunerClient()
    tuner.tune = { frequency, _ in tuned.withValue { $0.append(frequency) } }
    tuner.findByName = { _ in 98.5 }
    let frequency = try tuner.find(name: "Radio 3")
    try await tuner.tune(frequency: frequency, within: .seconds(1))
    #expect(tuned.value == [98.5])
  }

  @Test func `an unimplemented endpoint reports an issue, and throws or returns a placeholder`()
    async
  {
    await withKnownIssue {
      await #expect(throws: Unimplemented("TunerClient.tune")) {
        try await tuner.tune(frequency: 98.5, within: .seconds(1))
      }
      #expect(throws: TunerError.unimplemented("TunerClient.signal")) { try tuner.signal() }
      #expect(tuner.station(frequency: 98.5) == nil)
      #expect(tuner.deviceCount() == 0)
      tuner.observe(0.5)
    } matching: {
      "\($0)".contains("Unimplemented: 'TunerClient.")
    }
    #expect(tuner.describe() == "tuner")
  }
}
