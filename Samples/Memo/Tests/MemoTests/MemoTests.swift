import FoundationEssentials
import SyrinxTestSupport
import Testing

@testable import Memo

@Test func `a memo has the words spoken during its recording`() async throws {
  let file = URL(filePath: "memo.wav")
  let lines = try await withDependencies {
    $0.audioRecorder = .previewValue
    $0.continuousClock = ImmediateClock()
    $0.speechClient.startTask = { request in
      guard case .file(file) = request.source else { return .finished() }
      return AsyncThrowingStream { results in
        results.yield(SpeechRecognitionResult("Go forward.", isFinal: true))
        results.finish()
      }
    }
  } operation: {
    try await Memo().lines(of: .seconds(5), in: file)
  }
  #expect(lines == ["Go forward."])
}
