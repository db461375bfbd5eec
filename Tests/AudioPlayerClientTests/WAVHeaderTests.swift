import Foundation
import Testing

@testable import AudioPlayerClient

@Suite struct WAVHeaderTests {
  private func header(rate: UInt32, bytesPerFrame: UInt16, dataSize: UInt32) -> Data {
    var bytes = Data("RIFF".utf8) + little(36 + dataSize) + Data("WAVEfmt ".utf8) + little(16)
    bytes += Data([1, 0, 1, 0]) + little(rate) + little(rate * UInt32(bytesPerFrame))
    bytes += Data([UInt8(bytesPerFrame), 0, 16, 0])
    return bytes + Data("LIST".utf8) + little(3) + Data([1, 2, 3, 0])
      + Data("data".utf8) + little(dataSize)
  }

  private func little(_ value: UInt32) -> Data {
    withUnsafeBytes(of: value.littleEndian) { Data($0) }
  }

  @Test func `the duration is that of the data, wherever the chunk lies`() {
    #expect(
      WAVHeader(header(rate: 16_000, bytesPerFrame: 2, dataSize: 48_000))?.duration
        == .seconds(1.5))
  }

  @Test func `what is no WAV header has no duration`() {
    #expect(WAVHeader(Data("hello, this is a text and no sound".utf8)) == nil)
    #expect(WAVHeader(Data()) == nil)
    #expect(WAVHeader(header(rate: 16_000, bytesPerFrame: 2, dataSize: 4).prefix(30)) == nil)
    #expect(WAVHeader(header(rate: 0, bytesPerFrame: 2, dataSize: 4)) == nil)
  }
}
