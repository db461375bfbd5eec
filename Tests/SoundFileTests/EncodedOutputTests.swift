import AudioCore
import Foundation
import Testing

@testable import SoundFile

@Suite struct EncodedOutputTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `an AIFF file takes no block that its header could not tell of`() throws {
    let file = try GrowingFile(path: folder.file("a.aiff").path)
    let encoding = try #require(SoundFileEncoding(.aiff))
    let output = try EncodedOutput(file, format: cd, encoding: encoding, largestAIFF: 10_000)
    let writer = SoundFileWriter(file, output: output, format: cd, encoding: encoding)
    let sound = sampleBuffer().frames(0..<1_000)
    try writer.write(sound)
    try writer.write(sound)
    #expect(throws: SoundFileError.tooLarge(path: file.path)) { try writer.write(sound) }
    try writer.close()
    #expect(writer.framesWritten == 2_000)
    let reader = try SoundFileReader(url: folder.file("a.aiff"))
    #expect(reader.announcedFrameCount == 2_000)
    #expect(try everything(reader).count == 4_000)
  }
}
