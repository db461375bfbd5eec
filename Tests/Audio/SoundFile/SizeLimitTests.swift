import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Runs in its own process, because the limit applies to all files of a process.
@Suite struct SizeLimitTests {
  @Test func `audio written before the file size limit stays readable`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let fileSize = __rlimit_resource_t(1)
      var limit = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
      setrlimit(fileSize, &limit)
      let folder = try TestFolder()
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      let noise = AudioSignal.noise(seed: 1).buffer(.seconds(12), format: format)
      for container in SoundFileEncoding.Container.allCases {
        let url = folder.file("\(container)")
        let encoding = SoundFileEncoding(container)
        let writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
        #expect(throws: SoundFileError.tooLarge(path: url.path)) {
          try writer.write(noise)
          try writer.close()
        }
        try writer.close()
        try expectReadable(url, writer.framesWritten, as: noise, by: encoding)
      }
    }
  }

  @Test func `a removed file is rescued even if the disk is full`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
      setrlimit(__rlimit_resource_t(1), &limit)
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      let noise = AudioSignal.noise(seed: 1).buffer(.seconds(12), format: format)
      for container in SoundFileEncoding.Container.allCases {
        try expectRescue(container, noise)
      }
      // The encoder buffers a second of audio, so only closing the file exceeds the limit.
      limit.rlim_cur = 6_000
      setrlimit(__rlimit_resource_t(1), &limit)
      try expectRescue(.opus, noise.frames(0..<43_200))
    }
  }

  /// libsndfile does not report this failure: its `sf_close` returns 0.
  @Test func `close throws if the encoder's buffered audio does not fit on the disk`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 6_000, rlim_max: 6_000)
      setrlimit(__rlimit_resource_t(1), &limit)
      let folder = try TestFolder()
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      let url = folder.file("out.opus")
      let writer = try SoundFileWriter(url: url, format: format, encoding: .opus)
      #expect(throws: SoundFileError.tooLarge(path: url.path)) {
        try writer.write(AudioSignal.noise(seed: 1).buffer(.milliseconds(900), format: format))
        try writer.close()
      }
    }
  }
}

/// Checks that the audio of a removed file is saved in a copy, even if writing or closing the file
/// reaches the size limit.
private func expectRescue(
  _ container: SoundFileEncoding.Container, _ sound: AudioBuffer
) throws {
  let folder = try TestFolder()
  let url = folder.file("out.\(container)")
  let encoding = SoundFileEncoding(container)
  let writer = try SoundFileWriter(url: url, format: sound.format, encoding: encoding)
  try? writer.write(sound)
  try FileManager.default.removeItem(at: url)
  let copy = folder.file("out-recovered.\(container)")
  #expect(throws: SoundFileError.recovered(path: url.path, copy: copy.path)) {
    try writer.close()
  }
  let left = try everything(SoundFileReader(url: copy)).count
  #expect(left > 1_000 && FrameCount(left) == writer.framesWritten, "\(container) \(left)")
}

/// Checks that all audio on a full disk is readable and has the `count` frames that the writer
/// reports.
private func expectReadable(
  _ url: URL, _ count: FrameCount, as noise: AudioBuffer, by encoding: SoundFileEncoding
) throws {
  let read = try everything(SoundFileReader(url: url))
  #expect(read.count > 20_000, "\(encoding)")
  #expect(FrameCount(read.count) == count, "\(encoding)")
  if encoding.samples != nil {
    #expect(zip(noise.samples, read).allSatisfy { abs($0 - $1) < 0.000_1 }, "\(encoding)")
  }
}
