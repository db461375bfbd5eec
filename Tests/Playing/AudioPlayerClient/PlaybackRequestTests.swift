import AudioCore
import AudioPlayerClient
import Foundation
import Testing

@Suite struct PlaybackRequestTests {
  private let file = URL(fileURLWithPath: "a.wav")

  @Test func `a request for one source contains one item`() {
    var request = PlaybackRequest(
      source: .file(file), repetition: .forever, range: PlaybackRange(end: .frame(7)))
    #expect(request.items.count == 1)
    #expect(request.items.first?.repetition == .forever)
    #expect(request.range == PlaybackRange(start: .frame(0), end: .frame(7)))
    request.repetition = .times(2)
    request.range.start = .time(.seconds(1))
    #expect(request.items.first?.repetition == .times(2))
    #expect(request.items.first?.range.start == .time(.seconds(1)))
    request.items.append(PlaybackItem(source: .buffers([])))
    request.source = .buffers([])
    #expect(request.items.count == 2)
    #expect(request.repetition == .times(2))
  }

  @Test func `setting the source of a request without items adds an item`() {
    var request = PlaybackRequest(items: [])
    request.source = .file(file)
    #expect(request.items.count == 1)
  }

  @Test func `PlaybackIDs with the same name are equal, and a PlaybackID without a name is unique`()
  {
    #expect(PlaybackID() != PlaybackID())
    #expect(PlaybackID("a") == "a")
    #expect("\(PlaybackID("a"))" == "\"a\"")
  }

  @Test func `a PlaybackTime is converted to a frame at the source's rate, at least 0`() {
    #expect(PlaybackTime.time(.milliseconds(1_500)).frame(at: 8_000) == 12_000)
    #expect(PlaybackTime.frame(7).frame(at: 8_000) == 7)
    #expect(PlaybackTime.frame(-7).frame(at: 8_000) == 0)
  }

  @Test func `an asynchronous sequence is pulled one element at a time`() async throws {
    let buffer = AudioBuffer(silence: 8, format: .speech)
    let buffers = AsyncStream { continuation in
      for _ in 0..<3 { continuation.yield(buffer) }
      continuation.finish()
    }
    guard case .stream(let stream) = PlaybackSource.sequence(buffers) else { return }
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [buffer, buffer, buffer])
  }
}
