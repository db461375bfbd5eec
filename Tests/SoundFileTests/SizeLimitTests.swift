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
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      setrlimit(__rlimit_resource_t(1), &limit)  // RLIMIT_FSIZE
      let folder = try TestFolder()
      for encoding in [SoundFileEncoding.wav16, .flac16, .oggVorbis, .wavFloat] {
        let url = folder.file("\(encoding)")
        let noise = AudioSignal.noise(seed: 1).buffer(.seconds(20), format: cd)
        let writer = try SoundFileWriter(url: url, format: cd, encoding: encoding)
        #expect(throws: SoundFileError.tooLarge(path: url.path)) {
          try writer.write(noise)
          try writer.close()
        }
        _ = try? writer.close()
        fputs("closed \(encoding)\n", stderr)
        let read = try everything(url)
        fputs("read \(encoding) \(read.count) \(writer.framesWritten)\n", stderr)
        #expect(!read.isEmpty && read.count <= writer.framesWritten.rawValue * 2)
        if encoding == .wavFloat { #expect(noise.samples.starts(with: read)) }
      }
    }
    print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
  }
}
