import Testing

@testable import AudioPlayerClientLive

@Suite struct VoicePlayheadTests {
  /// Returns the voice's playhead at each of these device frames.
  private func played(_ voice: VoicePlayhead, at positions: [Int]) -> [Int] {
    var voice = voice
    return positions.map {
      voice.observe($0)
      return voice.played
    }
  }

  @Test func `a voice's playhead counts device frames from the voice's start`() {
    var voice = VoicePlayhead()
    voice.mix(200, at: 1_000)
    #expect(played(voice, at: [0, 1_000, 1_001, 1_150, 1_200, 1_300]) == [0, 0, 1, 150, 200, 200])
  }

  @Test func `inserted silence does not move a voice's playhead`() {
    var voice = VoicePlayhead()
    voice.mix(150, missing: 50, at: 0)
    voice.mix(0, missing: 200, at: 200)
    voice.mix(200, at: 400)
    #expect(played(voice, at: [100, 150, 300, 400, 500, 600]) == [100, 150, 150, 150, 250, 350])
  }

  @Test
  func `a voice's playhead never leads the played frames, and is exact after the last silence`() {
    var voice = VoicePlayhead()
    voice.mix(150, missing: 50, at: 0)
    voice.mix(150, missing: 50, at: 200)
    voice.mix(200, at: 400)
    let exact = [100, 150, 150, 250, 300, 300, 400]
    let told = played(voice, at: [100, 150, 200, 300, 350, 400, 500])
    #expect(zip(told, exact).allSatisfy { $0 <= $1 })
    #expect(told == told.sorted())
    #expect(told.last == 400)
  }

  @Test func `origin(at:) includes inserted silence once the silence has been played`() {
    var voice = VoicePlayhead()
    #expect(voice.origin(at: 100) == nil)
    voice.mix(150, missing: 50, at: 100)
    voice.mix(0, missing: 200, at: 300)
    voice.mix(200, at: 500)
    // Inserted silence delays the voice's frame 150 from the device frame 250 to 500.
    #expect([50, 250, 400, 500].map(voice.origin) == [100, 100, 100, 100])
    #expect(voice.origin(at: 501) == 350)
  }

  @Test func `a voice is over when the device has played its end`() {
    var voice = VoicePlayhead()
    voice.mix(100, at: 50)
    #expect(!voice.isOver(1_000))
    voice.end(at: 150)
    #expect(!voice.isOver(149))
    #expect(voice.isOver(150))
  }

  @Test func `contains(_:) is true only strictly between a voice's first frame and its end`() {
    var voice = VoicePlayhead()
    #expect(!voice.contains(100))
    voice.mix(100, at: 50)
    #expect([49, 50, 51, 1_000].map(voice.contains) == [false, false, true, true])
    voice.end(at: 150)
    #expect([149, 150, 151].map(voice.contains) == [true, false, false])
  }
}
