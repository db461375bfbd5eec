import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceRegistryTests {
  private func voice() throws -> Voice {
    try Voice(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), capacity: .milliseconds(10),
      volume: 1
    ) { _ in }
  }

  @Test func `the registry has one place for each voice that the audio thread mixes`() throws {
    var registry = VoiceRegistry()
    for index in 0..<VoiceTable.limit {
      let hasPlace = registry.reserve()
      #expect(hasPlace)
      // A reserved place is taken, whether its voice has been admitted or not.
      if index.isMultiple(of: 2) { registry.admit(try voice()) }
    }
    let hasAnother = registry.reserve()
    #expect(!hasAnother)
  }

  @Test func `a voice that the audio thread has not released keeps its place`() throws {
    var registry = VoiceRegistry()
    var voices: [Voice] = []
    for index in 0..<VoiceTable.limit {
      _ = registry.reserve()
      voices.append(try voice())
      registry.admit(voices[index])
    }
    let areRetired = voices.map { registry.retire($0) }
    #expect(areRetired.allSatisfy { $0 } && registry.isEmpty)
    let hasEarlyPlace = registry.reserve()
    #expect(!hasEarlyPlace)
    // Their end has been reported before.
    let areKnown = voices.map { registry.remove($0) }
    #expect(areKnown.allSatisfy { !$0 })
    let arePlacesFree = voices.map { _ in registry.reserve() }
    #expect(arePlacesFree.allSatisfy { $0 })
    let hasAnother = registry.reserve()
    #expect(!hasAnother)
  }

  @Test func `the voices of an engine that has ended free their places`() throws {
    var registry = VoiceRegistry()
    for _ in 0..<VoiceTable.limit {
      _ = registry.reserve()
      registry.admit(try voice())
    }
    let all = registry.removeAll()
    #expect(all.known.count == VoiceTable.limit && all.leaving.isEmpty)
    let hasPlace = registry.reserve()
    #expect(hasPlace)
  }
}

@Suite struct PlaybackReporterTests {
  private let reporter: PlaybackReporter

  init() throws {
    reporter = PlaybackReporter(
      PlaybackThread(
        pcm: try SimulatedPlayback(), link: try PlaybackLink(volume: MasterVolume())))
  }

  @Test func `the first outcome of an engine counts`() {
    reporter.end(.failure(SoundCardError.notResponding("x", operation: "drop")))
    reporter.end(.success(()))
    #expect(reporter.hasFailed)
  }

  @Test func `an engine whose device has failed admits no voice`() throws {
    struct Lost: Error {}
    reporter.end(.failure(Lost()))
    #expect(reporter.hasFailed)
    #expect(reporter.reserve())
    let isAdmitted = reporter.admit(
      try Voice(
        format: AudioFormat(sampleRate: 8_000, channelCount: 1), capacity: .milliseconds(10),
        volume: 1
      ) { _ in })
    #expect(!isAdmitted)
  }
}
