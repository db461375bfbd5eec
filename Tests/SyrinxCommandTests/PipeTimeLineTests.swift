import AudioCore
import AudioRecorderClient
import Testing

@testable import SyrinxCommand

struct PipeTimeLineTests {
  private let block = AudioSignal.sine(440).buffer(FrameCount(1_000), format: .speech)

  private func captured(lost: FrameCount? = nil) -> CapturedAudio {
    CapturedAudio(buffer: block, time: .zero, gap: lost.map(CaptureGap.init(lost:)))
  }

  @Test
  func `without a length everything goes in`() {
    var line = PipeTimeLine(length: nil)
    #expect(line.parts(of: captured()) == [.audio(block)])
    #expect(line.frameCount == 1_000)
    #expect(!line.isFull(at: .speech))
  }

  @Test
  func `what was lost is silence, by the second`() {
    var line = PipeTimeLine(length: nil)
    #expect(
      line.parts(of: captured(lost: 40_000)) == [
        .silence(16_000), .silence(16_000), .silence(8_000), .audio(block),
      ])
    #expect(line.frameCount == 41_000)
  }

  @Test
  func `the last block is cut at the length`() {
    var line = PipeTimeLine(length: .milliseconds(100))
    _ = line.parts(of: captured())
    #expect(line.parts(of: captured()) == [.audio(block.frames(0..<600))])
    #expect(line.isFull(at: .speech))
    #expect(line.parts(of: captured()).isEmpty)
  }

  @Test
  func `silence ends at the length as well`() {
    var line = PipeTimeLine(length: .milliseconds(100))
    #expect(line.parts(of: captured(lost: 5_000)) == [.silence(1_600)])
    #expect(line.isFull(at: .speech))
  }
}
