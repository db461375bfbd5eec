import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct DamagedVorbisTests {
  /// The fuzzer found that libvorbis reads at address 0 when it seeks in a file with a damaged
  /// setup.
  @Test func `seeking in a Vorbis file with a damaged setup does not crash`() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      let whole = try folder.file("a.ogg", .oggVorbis, sampleBuffer())
      let bytes = [UInt8](try Data(contentsOf: whole))
      var openCount = 0
      // The setup header of Vorbis begins in the second Ogg page, after the comments.
      for offset in stride(from: 200, to: 3_500, by: 30) {
        var damaged = bytes
        for index in offset..<offset + 8 { damaged[index] ^= 0xFF }
        damaged.withUnsafeMutableBufferPointer { OggPages.repairChecksums($0) }
        let file = try folder.file("b.ogg", Data(damaged))
        guard let reader = try? SoundFileReader(url: file) else { continue }
        openCount += 1
        try? reader.seek(to: 10)
        _ = try? reader.read(atMost: 10)
      }
      guard openCount > 0 else { exit(2) }
    }
  }

  @Test func `seeking to the beginning of a Vorbis file without frames succeeds`() throws {
    let folder = try TestFolder()
    let empty = AudioBuffer(format: sampleBuffer().format, samples: [])
    let reader = try SoundFileReader(url: folder.file("a.ogg", .oggVorbis, empty))
    try reader.seek(to: 0)
    #expect(try reader.read(atMost: 10).isEmpty)
  }

  @Test func `seeking in a Vorbis file works before the first read`() throws {
    let folder = try TestFolder()
    let file = try folder.file("a.ogg", .oggVorbis, sampleBuffer())
    let samples = try everything(file)
    let reader = try SoundFileReader(url: file)
    try reader.seek(to: 5_000)
    #expect(try reader.read(atMost: 100).samples == Array(samples[10_000..<10_200]))
  }
}
