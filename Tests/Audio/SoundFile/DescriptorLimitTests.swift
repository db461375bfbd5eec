import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

/// A process that may open no more descriptors.
@Suite struct DescriptorLimitTests {
  @Test func `if no descriptor is free, the error for an M4A file does not ask to install FFmpeg`()
    async
  {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      let file = folder.file("a.m4a")
      try Tool.ffmpeg("-f", "lavfi", "-i", "sine=440:duration=1", file.path)
      // The lowest free descriptor, which the reader will get for the file itself.
      let lowest = open("/dev/null", O_RDONLY)
      close(lowest)
      var refusals = 0
      for limit in (lowest + 1)...(lowest + 6) {
        var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit + 100))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        do {
          _ = try SoundFileReader(url: file)
        } catch  where "\(error)".contains("Too many open files") {
          refusals += 1
        } catch {
          print("\(limit - lowest): \(error)")
          exit(2)
        }
      }
      if refusals == 0 { exit(3) }
    }
  }

  @Test func `a temporary file that a killed process left behind is removed by the next writer`()
    throws
  {
    let folder = try TestFolder()
    let left = try folder.file(".syrinx-0123456789abc", Data("RIFF".utf8))
    let used = try folder.file(".syrinx-abcdefghijklm", Data("RIFF".utf8))
    let other = try folder.file(".syrinx.yaml", Data("a: b".utf8))
    for file in [left, used, other] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: file.path)
    }
    let holder = open(used.path, O_RDWR)
    defer { close(holder) }
    flock(holder, LOCK_EX)
    let pending = try PendingFile(for: folder.file("a.wav").path, isNamed: true)
    #expect(!FileManager.default.fileExists(atPath: left.path))
    #expect(FileManager.default.fileExists(atPath: used.path))
    #expect(FileManager.default.fileExists(atPath: other.path))
    try pending.publish()
    #expect(FileManager.default.fileExists(atPath: folder.file("a.wav").path))
  }
}
