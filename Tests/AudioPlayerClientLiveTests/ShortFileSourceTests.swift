import AudioCore
import AudioPlayerClient
import Foundation
import SoundFile
import Synchronization
import Testing

@testable import AudioPlayerClientLive

@Suite struct ShortFileSourceTests {
  private let sound = staircase(100)

  /// All that a source gives from where it is.
  private func samples(_ source: ShortFileSource) async throws -> [Float] {
    var samples: [Float] = []
    while let buffer = try await source.next() { samples += buffer.samples }
    return samples
  }

  @Test func `a short file is kept when it has been read to its end, and sought in there`()
    async throws
  {
    let url = try temporaryWAV(sound)
    defer { try? FileManager.default.removeItem(at: url) }
    let source = ShortFileSource(url)
    let opened = try await source.open()
    #expect(try await samples(source) == sound.samples)
    #expect(source.isKept && source.position == 100)
    let again = try await source.open()
    #expect(again.announcedDuration == opened.announcedDuration)
    #expect(try await samples(source) == sound.samples)
    try await source.seek(to: 40)
    #expect(try await samples(source) == Array(sound.samples[40...]))
  }

  @Test(arguments: [0, 50, 5_000])
  func `what was not read from its first frame to its last in one piece is not kept`(
    start: Int
  ) async throws {
    let url = try temporaryWAV(staircase(start < 100 ? 100 : 6_000))
    defer { try? FileManager.default.removeItem(at: url) }
    let source = ShortFileSource(url)
    _ = try await source.open()
    _ = try await source.next()
    try await source.seek(to: FrameCount(start == 0 ? 100 : start))
    _ = try await samples(source)
    #expect(!source.isKept)
  }

  @Test func `a file that has been changed is read anew`() async throws {
    let url = try temporaryWAV(sound)
    defer { try? FileManager.default.removeItem(at: url) }
    let source = ShortFileSource(url)
    _ = try await source.open()
    _ = try await samples(source)
    try FileManager.default.removeItem(at: url)
    try FileManager.default.moveItem(at: temporaryWAV(staircase(70, from: 9)), to: url)
    let opened = try await source.open()
    #expect(opened.announcedDuration == .microseconds(8_750))
    #expect(try await samples(source) == staircase(70, from: 9).samples)
    #expect(source.isKept)
  }

  @Test func `a list of short files makes the source of each of them once`() async throws {
    let urls = try [sound, staircase(1)].map(temporaryWAV)
    defer { for url in urls { try? FileManager.default.removeItem(at: url) } }
    let made = Mutex(0)
    let setting = FeederSetting(make: { source, mailbox in
      made.withLock { $0 += 1 }
      return makeSource(source, mailbox)
    })
    let queue = QueueSource(
      urls.map { PlaybackItem(source: .file($0)) }, .times(20), FeederMailbox("a"), setting)
    _ = try await queue.open()
    var samples: [Float] = []
    while let step = try await queue.next() {
      if case .audio(let buffer) = step { samples += buffer.samples }
    }
    let round = sound.samples + staircase(1).samples
    let isWhole = samples == (0..<20).flatMap { _ in round }
    #expect(isWhole)
    #expect(made.withLock { $0 } == 2)
  }
}
