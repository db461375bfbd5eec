#if Plots
import AudioCore
import AudioPlots
import Foundation
import SoundFile
import Testing

/// The examples of `AudioPlots.docc`.
@Suite struct PlotsArticleTests {
  @Test func `a file that cannot be opened has no plot`() async {
    let file = URL(filePath: "no-such-file.wav")
    await #expect(throws: SoundFileError.self) { try await drawWaveform(file) }
    await #expect(throws: SoundFileError.self) { try await drawSpectrogram(file) }
  }

  private func drawWaveform(_ file: URL) async throws {
    let image = try await SoundFile.buffers(of: file).waveformImage(columnCount: 1_200)
    guard let image else { return }  // no audio
    let png = try image.data(as: .png, PlotFrame(width: 1_200, height: 400, title: "Song"))
    #expect(!png.isEmpty)
  }

  private func drawSpectrogram(_ file: URL) async throws {
    let voice = try await SoundFile.buffers(of: file)
      .spectrogramImage(.mel, columnCount: 600, rowCount: 256)
    let svg = try voice?.data(
      as: .svg, PlotFrame(cues: [.init(.seconds(1)..<(.seconds(2)), "Hello.")]))
    #expect(svg != nil)
  }
}
#endif
