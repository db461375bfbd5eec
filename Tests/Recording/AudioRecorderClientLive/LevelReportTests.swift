import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct LevelReportTests {
  private let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

  /// Returns a tenth of a second with constant values on the left and the right.
  private func tenth(_ left: Float, _ right: Float) -> AudioBuffer {
    AudioBuffer(format: stereo, samples: (0..<800).flatMap { _ in [left, -right] })
  }

  private func reports(_ buffers: [AudioBuffer]) -> [RecordingLevels] {
    var report = LevelReport(format: stereo)
    return buffers.compactMap {
      report.count(recorded: $0)
      return report.add($0, recorded: 800)
    }
  }

  @Test func `each channel has its peak and its RMS`() throws {
    let levels = try #require(reports([tenth(0.1, 0.01)]).first)
    #expect(levels.channels.map { $0.peak.value.rounded() } == [-20, -40])
    #expect(levels.channels.map { $0.rms.value.rounded() } == [-20, -40])
    #expect(levels.level.peak == levels.channels[0].peak)
    #expect(abs(levels.level.rms.value - -22.967) < 0.001)
    #expect(levels.recorded == .milliseconds(100))
  }

  @Test func `each level report covers all audio of its interval`() throws {
    var report = LevelReport(format: stereo, interval: .milliseconds(300))
    #expect(report.add(tenth(0.1, 0), recorded: 800) == nil)
    #expect(report.add(tenth(0.5, 0), recorded: 1_600) == nil)
    let told = report.add(tenth(0.1, 0), recorded: 2_400)
    let levels = try #require(told)
    #expect(levels.channels[0].peak == Decibels(amplitude: 0.5))
    #expect(levels.recorded == .milliseconds(300))
  }

  @Test(arguments: 0..<9, [1, 2, 3])
  func `every sample is measured, whatever the length and the number of channels`(
    length: Int, channels: Int
  ) throws {
    let sound = (0..<length * channels).map { -Float($0 / channels + 1) / 16 }
    var meter = PeakHoldMeter()
    meter.add(sound, from: channels - 1, step: channels)
    var squares = 0.0
    for index in 1..<(length + 1) { squares += Double(index * index) / 256 }
    #expect(meter.highest == Float(length) / 16)
    #expect(abs(meter.meanSquare - squares / Double(max(1, length))) < 1e-9)
  }

  @Test func `NaN is neither a peak nor counted as clipped`() throws {
    var report = LevelReport(format: AudioFormat(sampleRate: 8_000, channelCount: 1))
    let sound = AudioBuffer(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1),
      samples: [.nan, 0.5, 1] + Array(repeating: 0, count: 797))
    report.count(recorded: sound)
    let told = report.add(sound, recorded: 800)
    let levels = try #require(told)
    #expect(levels.channels[0].peak == Decibels(amplitude: 1))
    #expect(levels.channels[0].clippedSamples == 1)
  }

  @Test func `a peak is held for a second and a half, and then replaced by the newest peak`() {
    let loud = [tenth(0.5, 0)]
    let rest = Array(repeating: tenth(0.1, 0), count: 20)
    let held = reports(loud + rest).map { $0.channels[0].heldPeak.value.rounded() }
    #expect(held == Array(repeating: -6, count: 16) + Array(repeating: -20, count: 5))
  }

  @Test func `a higher peak replaces the held peak at once`() {
    let held = reports([tenth(0.1, 0), tenth(0.5, 0)]).map { $0.channels[0].heldPeak }
    #expect(held == [Decibels(amplitude: Double(Float(0.1))), Decibels(amplitude: 0.5)])
  }

  @Test func `samples at full scale are counted for the whole recording`() {
    let counts = reports([tenth(1, 0.99), tenth(32_767 / 32_768, 0), tenth(0, 0)])
      .map { $0.channels.map(\.clippedSamples) }
    #expect(counts == [[800, 0], [1_600, 0], [1_600, 0]])
  }
}
