import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

@Suite struct SoundFileReaderTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Returns a file that FFmpeg makes from a second of 16-bit stereo.
  private func converted(_ name: String, _ options: [String]) throws -> URL {
    let source = try folder.file("source.wav", .wav16, sampleBuffer())
    let target = folder.file(name)
    try Tool.run(
      "ffmpeg", package: "ffmpeg",
      ["-v", "error", "-y", "-i", source.path] + options + [target.path])
    return target
  }

  @Test(.timeLimit(.minutes(5)))
  func `a read of at most 0 frames ends the process with a message about the count`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let sound = Checkout.file("Samples/sounds/go-forward.wav")
      _ = try SoundFileReader(url: sound).read(atMost: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a buffer holds at least 1 frame, not 0"))
  }

  @Test(arguments: [
    ("a.wav", ["-c:a", "pcm_s16le"]), ("a.wav", ["-c:a", "pcm_s24le"]),
    ("a.wav", ["-c:a", "pcm_s32le"]), ("a.wav", ["-c:a", "pcm_f32le"]),
    ("a.wav", ["-c:a", "pcm_f64le"]), ("a.aiff", []), ("a.aiff", ["-c:a", "pcm_s24be"]),
    ("a.au", []), ("a.caf", []), ("a.flac", []), ("a.w64", []),
  ])
  func `reading a lossless file returns the written samples`(
    name: String, options: [String]
  ) throws {
    let reader = try SoundFileReader(url: converted(name, options))
    #expect(reader.format == cd)
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.framesRead == 44_100)
    #expect(reader.hasReachedEnd)
    #expect(reader.announcedFrameCount == 44_100)
    #expect(reader.shortfall == nil)
  }

  @Test(arguments: [
    ("a.wav", ["-c:a", "pcm_u8"], 35.0), ("a.wav", ["-c:a", "pcm_mulaw"], 25.0),
    ("a.ogg", ["-c:a", "libvorbis", "-q:a", "8"], 15.0),
  ])
  func `reading a lossy file returns the written length and similar samples`(
    name: String, options: [String], decibels: Double
  ) throws {
    let read = try everything(converted(name, options))
    #expect(read.count == 88_200)
    #expect(signalToNoise(sampleBuffer().samples, read) > decibels)
  }

  @Test func `an MP3 file is decoded to the same samples as by FFmpeg`() throws {
    let file = try converted("a.mp3", ["-b:a", "192k"])
    let theirs = try Tool.ffmpeg("-i", file.path, "-f", "f32le", "-").floats
    let ours = try everything(file)
    #expect(abs(ours.count - theirs.count) <= 2 * 1152 * 2)
    #expect(signalToNoise(theirs, ours) > 60)
  }

  @Test func `an Opus file is decoded to the same samples as by FFmpeg`() throws {
    let file = try converted("a.opus", ["-ar", "48000", "-b:a", "192k"])
    let theirs = try Tool.ffmpeg("-i", file.path, "-f", "f32le", "-").floats
    let ours = try everything(file)
    #expect(abs(ours.count - theirs.count) <= 2)
    #expect(signalToNoise(theirs, ours) > 40)
  }

  @Test func `buffers follow each other on the timeline`() throws {
    let reader = try SoundFileReader(url: folder.file("a.wav", .wav16, sampleBuffer()))
    #expect(try reader.read(atMost: 44_000).firstFrame == 0)
    let last = try reader.read(atMost: 1_000)
    #expect(last.firstFrame == 44_000)
    #expect(last.frameCount == 100)
    #expect(try reader.read(atMost: 1_000).isEmpty)
  }

  @Test(arguments: [SoundFileEncoding.wav16, .flac24])
  func `after a seek the frames from that position are read`(encoding: SoundFileEncoding) throws {
    let buffer = sampleBuffer()
    let reader = try SoundFileReader(url: folder.file("a", encoding, buffer))
    try reader.seek(to: 30_000)
    #expect(try reader.read(atMost: 500) == buffer.frames(30_000..<30_500))
    try reader.seek(to: 7)
    #expect(try reader.read(atMost: 500) == buffer.frames(7..<507))
    #expect(reader.framesRead == 30_500)
  }

  @Test func `a truncated WAV file is read to its actual end and reports the shortfall`()
    throws
  {
    let whole = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    let reader = try SoundFileReader(
      url: folder.file("cut.wav", whole.prefix(80 + 10_000 * 4 + 3)))
    let read = try everything(reader)
    #expect(read == sampleBuffer().frames(0..<10_000).samples)
    let shortfall = try #require(reader.shortfall)
    #expect(
      shortfall
        == SoundFileShortfall(announced: 44_100, decoded: 10_000, sampleRate: 44_100))
    #expect("\(shortfall)" == "0.773 s of 1.000 s are missing")
  }

  @Test(arguments: [(8, 0), (0xFFFF_FFFF, 0xFFFF_FFFF)] as [(UInt32, UInt32)])
  func `a WAV file whose header was never completed is read to its end`(
    size: UInt32, dataSize: UInt32
  ) throws {
    var data = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    withUnsafeBytes(of: size.littleEndian) { data.replaceSubrange(4..<8, with: $0) }
    withUnsafeBytes(of: dataSize.littleEndian) { data.replaceSubrange(76..<80, with: $0) }
    let reader = try SoundFileReader(url: folder.file("cut.wav", data))
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.shortfall == nil)
  }

  @Test
  func `a FLAC file damaged in the middle yields the frames before the damage and then throws`()
    throws
  {
    var data = try Data(contentsOf: folder.file("a.flac", .flac16, sampleBuffer()))
    data.replaceSubrange(data.count / 2..<data.count / 2 + 4_000, with: Data(count: 4_000))
    let reader = try SoundFileReader(url: folder.file("bad.flac", data))
    var read: [Float] = []
    let error = #expect(throws: SoundFileError.self) {
      while true {
        let buffer = try reader.read(atMost: 1_000)
        if buffer.isEmpty { return }
        read += buffer.samples
      }
    }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(read.count > 10_000)
    #expect(sampleBuffer().samples.starts(with: read.prefix(10_000)))
  }

  @Test func `a truncated FLAC or Ogg file is read to its end`() throws {
    for (encoding, name) in [(SoundFileEncoding.flac16, "a.flac"), (.oggVorbis, "a.ogg")] {
      let whole = try Data(contentsOf: folder.file(name, encoding, sampleBuffer()))
      let reader = try SoundFileReader(
        url: folder.file("cut-\(name)", whole.prefix(whole.count / 2)))
      var count: FrameCount = 0
      do {
        while true {
          let buffer = try reader.read(atMost: 1_000)
          if buffer.isEmpty { break }
          count = buffer.endFrame
        }
      } catch SoundFileError.damaged(_, let frame, _) {
        #expect(frame == count)
      }
      #expect(count > 10_000 && count < 44_100)
      #expect(reader.framesRead == count)
    }
  }
}
