import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Dispatch
import Foundation
import Testing

/// An issue is attributed to the test that read the client, wherever the client is called.
@Suite(.dependencies) struct OriginTests {
  @Dependency(OriginRecorder.self) private var recorder

  @Test func `a call in a detached task fails the test that read the client`() async {
    await expectUnimplemented("OriginRecorder.stop") {
      let recorder = recorder
      await Task.detached { recorder.stop() }.value
    }
  }

  @Test func `a call on a queue fails the test that read the client`() async {
    await expectUnimplemented("OriginRecorder.level") {
      let recorder = recorder
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "audio").async {
          _ = recorder.level()
          continuation.resume()
        }
      }
    }
  }

  @Test func `a method call on a thread fails the test that read the client`() async {
    await expectUnimplemented("OriginRecorder.start") {
      let recorder = recorder
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          try? recorder.start(path: "a")
          continuation.resume()
        }
      }
    }
  }

  @Test(arguments: 1...3)
  func `a client shared by all tests reports an issue to each test that reads the client`(run: Int)
    async
  {
    await expectUnimplemented("OriginRecorder.stop") {
      let recorder = recorder
      await Task.detached { recorder.stop() }.value
    }
  }
}

@DependencyClient
private struct OriginRecorder: Sendable {
  var start: @Sendable (_ path: String) throws -> Void
  var stop: @Sendable () -> Void
  var level: @Sendable () -> Double = { 0 }
}

extension OriginRecorder: TestDependencyKey {
  static let testValue = Self()
}
