import AudioCore
import Foundation
import SoundFile
import Testing

@testable import SyrinxCommand

struct PipeWriterTests {
  @Test
  func `silence and audio follow one header`() async throws {
    let folder = try TestFolder()
    let output = try folder.output()
    let writer = try PipeWriter(
      StandardDescriptor(rawValue: output.handle.fileDescriptor, name: "standard output"))
    let buffer = AudioSignal.sine(440).buffer(FrameCount(100), format: .speech)
    try await writer.write([.silence(10), .audio(buffer)], format: .speech)
    try await writer.write([.silence(5)], format: .speech)
    let reader = try SoundFileReader(url: output.url)
    #expect(reader.format == .speech)
    let samples = try reader.read(atMost: 1_000).samples
    #expect(samples.count == 115)
    #expect(samples.prefix(10).allSatisfy { $0 == 0 } && samples.suffix(5).allSatisfy { $0 == 0 })
    #expect(zip(samples.dropFirst(10), buffer.samples).allSatisfy { abs($0 - $1) < 1e-4 })
  }
}
