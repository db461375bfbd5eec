import AudioCore
import AudioPlayerClient
import Foundation
import SoundFile
import Testing

@testable import AudioPlayerClientLive

@Suite struct FileSourceTests {
  private let noise = AudioSignal.noise(seed: 7).buffer(40_000, format: PlayerHarness.format)

  /// Creates a file whose damaged middle makes reading fail.
  private func damagedFLAC() throws -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("syrinx-\(UUID().uuidString).flac")
    let writer = try SoundFileWriter(url: url, format: noise.format, encoding: .flac16)
    try writer.write(noise)
    try writer.close()
    var bytes = try Data(contentsOf: url)
    let middle = bytes.count / 2
    bytes.replaceSubrange(middle..<middle + 8_000, with: Data(count: 8_000))
    try bytes.write(to: url)
    return url
  }

  @Test func `a seek past the end does not read the file to its end`() async throws {
    let url = try damagedFLAC()
    defer { try? FileManager.default.removeItem(at: url) }
    let source = FileSource(url)
    _ = try await source.open()
    try await source.seek(to: 1_000_000)
    #expect(source.position == 40_000)
    #expect(try await source.next() == nil)
  }

  @Test func `a seek that reads up to its target ends when its task is canceled`() async throws {
    let url = try temporaryWAV(noise)
    defer { try? FileManager.default.removeItem(at: url) }
    let seek = Task {
      let source = FileSource(url)
      _ = try await source.open()
      withUnsafeCurrentTask { $0?.cancel() }
      try await source.seek(to: 1_000_000)
    }
    await #expect(throws: CancellationError.self) { try await seek.value }
  }

  @Test func `a failed seek leaves the file's position unchanged`() async throws {
    let url = try damagedFLAC()
    defer { try? FileManager.default.removeItem(at: url) }
    let source = FileSource(url)
    _ = try await source.open()
    let first = try await source.next()
    await #expect(throws: AudioPlayerError.self) { try await source.seek(to: 21_000) }
    let second = try #require(try await source.next())
    #expect(second.firstFrame == first?.endFrame)
    let expected = noise.samples[second.firstFrame.rawValue...].prefix(second.samples.count)
    #expect(zip(second.samples, expected).allSatisfy { abs($0 - $1) < 1e-4 })
  }
}
