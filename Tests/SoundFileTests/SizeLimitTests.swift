import AudioCore
import Foundation
import SoundFile
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// In a process of its own, because the limit holds for all that a process writes.
@Suite struct SizeLimitTests {
  @Test func `what was written before a file reached its limit stays readable`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let fileSize = __rlimit_resource_t(1)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      setrlimit(fileSize, &limit)
      let folder = try TestFolder()
      let noise = AudioSignal.noise(seed: 1).buffer(.seconds(15), format: cd)
      for encoding in [SoundFileEncoding.wav16, .wavFloat, .flac16, .oggVorbis] {
        let url = folder.file("\(encoding)")
        let writer = try SoundFileWriter(url: url, format: cd, encoding: encoding)
        #expect(throws: SoundFileError.tooLarge(path: url.path)) {
          try writer.write(noise)
          try writer.close()
        }
        try writer.close()
        try expectReadable(url, as: noise, by: encoding)
      }
    }
  }

  /// libsndfile says nothing of it: it closes such a file with 0.
  @Test func `what only the end of a file could not hold is an error that says so`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 6_000, rlim_max: 6_000)
      setrlimit(__rlimit_resource_t(1), &limit)
      let folder = try TestFolder()
      let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
      // Opus keeps a second back.
      let url = folder.file("out.opus")
      let writer = try SoundFileWriter(url: url, format: format, encoding: .opus)
      try writer.write(AudioSignal.noise(seed: 1).buffer(.milliseconds(900), format: format))
      #expect(throws: SoundFileError.tooLarge(path: url.path)) { try writer.close() }
    }
  }
}

/// All that a full disk holds can be read; of FLAC and Vorbis, all but the last block.
private func expectReadable(
  _ url: URL, as noise: AudioBuffer, by encoding: SoundFileEncoding
) throws {
  let reader = try SoundFileReader(url: url)
  var read: [Float] = []
  do {
    while case let buffer = try reader.read(atMost: 1_000), !buffer.isEmpty {
      read += buffer.samples
    }
  } catch {
    guard case .damaged = error, encoding == .flac16 else { throw error }
  }
  #expect(read.count > 20_000)
  if encoding != .oggVorbis {
    #expect(zip(noise.samples, read).allSatisfy { abs($0 - $1) < 0.000_1 })
  }
}
