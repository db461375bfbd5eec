import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct SoundFileTests {
  @Test func `a file is streamed in buffers of the requested length`() async throws {
    let folder = try TestFolder()
    let file = try folder.file("a.flac", .flac16, sampleBuffer())
    var buffers: [AudioBuffer] = []
    for try await buffer in SoundFile.buffers(of: file, framesPerBuffer: 10_000) {
      buffers.append(buffer)
    }
    #expect(buffers.map(\.frameCount) == [10_000, 10_000, 10_000, 10_000, 4_100])
    #expect(buffers.map(\.firstFrame) == [0, 10_000, 20_000, 30_000, 40_000])
    #expect(buffers.flatMap(\.samples) == sampleBuffer().samples)
  }

  @Test func `a file is streamed to its end in more than 20,000 buffers`() async throws {
    let folder = try TestFolder()
    let file = try folder.file("a.wav", .wav16, sampleBuffer())
    var count = 0
    for try await _ in SoundFile.buffers(of: file, framesPerBuffer: 2) { count += 1 }
    #expect(count == 22_050)
  }

  @Test func `missing frames are reported at the end of the stream`() async throws {
    let folder = try TestFolder()
    let whole = try folder.file("whole.wav", .wav16, sampleBuffer())
    let cut = try folder.file("cut.wav", Data(contentsOf: whole).prefix(80 + 4 * 10_000))
    let (shortfalls, shortfall) = AsyncStream.makeStream(of: SoundFileShortfall.self)
    for url in [whole, cut] {
      for try await _ in SoundFile.buffers(of: url, onShortfall: { shortfall.yield($0) }) {}
    }
    shortfall.finish()
    var told: [SoundFileShortfall] = []
    for await shortfall in shortfalls { told.append(shortfall) }
    #expect(told == [SoundFileShortfall(announced: 44_100, decoded: 10_000, sampleRate: 44_100)])
  }

  @Test func `the stream throws the error of the file`() async throws {
    let url = try TestFolder().file("none.wav")
    await #expect(throws: SoundFileError.notFound(path: url.path)) {
      for try await _ in SoundFile.buffers(of: url) {}
    }
  }
}
