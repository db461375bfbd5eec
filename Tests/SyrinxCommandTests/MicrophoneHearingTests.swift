import AudioCore
import AudioRecorderClient
import Foundation
import Testing

@testable import SyrinxCommand

struct MicrophoneHearingTests {
  @Test
  func `buffers pass as they are, and what was lost is told at the end`() async throws {
    let folder = try TestFolder()
    let error = try folder.output()
    let console = try Console(
      error: StandardDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
    let hearing = MicrophoneHearing(
      context: CommandContext(console: console, signals: StopSignals()))
    let blocks = [FrameCount(0), 1_600, 4_800].map { first in
      AudioBuffer(silence: 1_600, format: .speech, firstFrame: first)
    }
    let (stream, block) = AsyncThrowingStream.makeStream(of: CapturedAudio.self)
    for buffer in blocks {
      let gap = buffer.firstFrame == 4_800 ? CaptureGap(lost: 1_600) : nil
      block.yield(CapturedAudio(buffer: buffer, time: .zero, gap: gap))
    }
    block.finish()
    var heard: [AudioBuffer] = []
    for try await buffer in hearing.buffers(of: stream) { heard.append(buffer) }
    #expect(heard == blocks)
    await hearing.reportLoss()
    #expect(try error.text().hasPrefix("syrinx: 0.100 s of sound were lost"))
  }
}
