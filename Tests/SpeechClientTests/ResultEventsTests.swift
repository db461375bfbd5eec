import ClientDependencies
import Foundation
import SpeechClient
import Testing

@Suite struct ResultEventsTests {
  @Test func `the preview tells when its sentence begins and ends`() async throws {
    var events: [SpeechRecognitionEvent] = []
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let request = SpeechRequest(url: URL(filePath: "any.wav"))
      for try await event in await SpeechClient.previewValue.recognition(request: request) {
        events.append(event)
      }
    }
    #expect(events.count == 7)
    #expect(events.first == .speechStarted(at: .zero))
    #expect(events.last == .speechEnded(at: .milliseconds(1200)))
    let results = events.compactMap { if case .result(let result) = $0 { result } else { nil } }
    #expect(results.map(\.isFinal) == [false, false, false, false, true])
    #expect(results.map(\.stableSegmentCount) == [0, 1, 2, 3, 4])
    #expect(results.last?.speechRecognitionMetadata?.speakingRate == 200)
  }
}
