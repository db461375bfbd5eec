import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

@Suite struct MP3LengthTagTests {
  @Test(arguments: SoundFileEncoding.mp3.supportedRates ?? [], [1, 2])
  func `libsndfile reads all audio of an MP3 file whose writer is still open`(
    rate: SampleRate, channels: Int
  ) throws {
    let folder = try TestFolder()
    let format = AudioFormat(sampleRate: rate, channelCount: channels)
    let url = folder.file("a.mp3")
    let writer = try SoundFileWriter(url: url, format: format, encoding: .mp3)
    // Writes silence, because encoders such as LAME hold back frames of silence.
    let silence = AudioBuffer(silence: FrameCount(.milliseconds(100), at: rate), format: format)
    for _ in 0..<50 { try writer.write(silence) }
    let found = try everything(url).count / channels
    #expect(try SoundFileReader(url: url).announcedFrameCount == FrameCount(found))
    let held = writer.framesWritten - FrameCount(found)
    #expect(held < FrameCount(.milliseconds(200), at: rate) && held > -1_152)
    let ffmpeg = try Tool.ffmpeg("-i", url.path, "-f", "f32le", "-").floats.count / channels
    #expect(abs(found - ffmpeg) < 2 * 1_152)
    try writer.close()
    #expect(try SoundFileReader(url: url).announcedFrameCount == writer.framesWritten)
  }
}
