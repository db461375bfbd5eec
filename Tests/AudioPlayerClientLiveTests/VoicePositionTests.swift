import Testing

@testable import AudioPlayerClientLive

@Suite struct VoicePositionTests {
  /// What is heard of a voice at each of the device's frames.
  private func heard(_ voice: VoicePosition, at positions: [Int]) -> [Int] {
    var voice = voice
    return positions.map {
      voice.observe($0)
      return voice.heard
    }
  }

  @Test func `what is heard is what the device has played since the voice began`() {
    var voice = VoicePosition()
    voice.mix(200, at: 1_000)
    #expect(heard(voice, at: [0, 1_000, 1_001, 1_150, 1_200, 1_300]) == [0, 0, 1, 150, 200, 200])
  }

  @Test func `inserted silence is not heard as sound of the voice`() {
    var voice = VoicePosition()
    voice.mix(150, missing: 50, at: 0)
    voice.mix(0, missing: 200, at: 200)
    voice.mix(200, at: 400)
    #expect(heard(voice, at: [100, 150, 300, 400, 500, 600]) == [100, 150, 150, 150, 250, 350])
  }

  @Test func `with several gaps ahead it lags but never leads, and is right after the last`() {
    var voice = VoicePosition()
    voice.mix(150, missing: 50, at: 0)
    voice.mix(150, missing: 50, at: 200)
    voice.mix(200, at: 400)
    let exact = [100, 150, 150, 250, 300, 300, 400]
    let told = heard(voice, at: [100, 150, 200, 300, 350, 400, 500])
    #expect(zip(told, exact).allSatisfy { $0 <= $1 })
    #expect(told == told.sorted())
    #expect(told.last == 400)
  }

  @Test func `it is over when its end has been heard`() {
    var voice = VoicePosition()
    voice.mix(100, at: 50)
    #expect(!voice.isOver(1_000))
    voice.end(at: 150)
    #expect(!voice.isOver(149))
    #expect(voice.isOver(150))
  }

  @Test func `silence concerns it between its first frame and its last`() {
    var voice = VoicePosition()
    #expect(!voice.contains(100))
    voice.mix(100, at: 50)
    #expect([49, 50, 51, 1_000].map(voice.contains) == [false, false, true, true])
    voice.end(at: 150)
    #expect([149, 150, 151].map(voice.contains) == [true, false, false])
  }
}
