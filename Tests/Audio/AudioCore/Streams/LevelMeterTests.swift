import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct LevelMeterTests {
  private func ranges(_ readings: [LevelReading]) -> [Range<Int>] {
    readings.map { $0.firstFrame.rawValue..<$0.endFrame.rawValue }
  }

  @Test func `each interval has a level, whatever the buffer lengths`() throws {
    let meter = LevelMeter(every: .milliseconds(300))
    let readings = try all(meter, counting(0..<1), counting(1..<8))
    #expect(ranges(readings) == [0..<3, 3..<6, 6..<8])
    #expect(readings.map(\.level) == [0..<3, 3..<6, 6..<8].map { counting($0).level })
    #expect(readings.map(\.level.peak.amplitude.description).first == "2.0")
  }

  @Test func `each channel has its own level`() throws {
    let stereo = AudioFormat(sampleRate: 10, channelCount: 2)
    let buffer = AudioBuffer(format: stereo, samples: [1, 0.1, -1, 0.1])
    let reading = try #require(try all(LevelMeter(every: .seconds(1)), buffer).first)
    #expect(reading.channels == [audio([1, -1]).level, audio([0.1, 0.1]).level])
    #expect(reading.level == buffer.level)
  }

  @Test func `no level reading spans a gap`() throws {
    let readings = try all(LevelMeter(every: .seconds(1)), counting(0..<3), counting(7..<9))
    #expect(ranges(readings) == [0..<3, 7..<9])
  }

  @Test func `a change of format begins a new level reading`() throws {
    let other = AudioBuffer(silence: 1, format: .speech, firstFrame: 3)
    let readings = try all(LevelMeter(every: .seconds(1)), counting(0..<3), other)
    #expect(ranges(readings) == [0..<3, 3..<4])
  }

  @Test func `a level reading is yielded as soon as its interval is complete`() {
    let result = audioDiagram("abc-|").run(symbol: { "\($0.frameCount.rawValue)" }) {
      $0[0].levels(every: .milliseconds(400))
    }
    #expect(result.output == "-4--[2|]")
  }

  @Test func `metering keeps a buffer unchanged and adds its level`() {
    let result = audioDiagram("b|").run(
      symbol: { drawn($0.buffer) + "\($0.reading.level.peak == $0.buffer.level.peak)" }
    ) { $0[0].metered() }
    #expect(result.output == "[<2 3>true]|")
  }

  @Test func `a level meter holds no frames over hours of audio`() throws {
    #expect(try mostHeld(by: LevelMeter(every: .seconds(3))) == 0)
  }
}
