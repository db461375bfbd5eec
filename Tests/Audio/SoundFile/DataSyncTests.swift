import AudioCore
import AudioThreads
import Foundation
import Synchronization
import TestTools
import Testing

@testable import SoundFile

@Suite struct DataSyncTests {
  /// Returns a pool whose only thread is blocked until the wake-up is signaled.
  private func blockedPool() throws -> (ThreadPool, goOn: WakeUp) {
    let threads = try ThreadPool(name: "syrinx-store", joinDelay: .seconds(3_600))
    let (begun, goOn) = (try WakeUp(), try WakeUp())
    threads.perform {
      begun.signal()
      goOn.wait()
    }
    begun.wait()
    return (threads, goOn)
  }

  @Test
  func `flush requests during a flush are merged into one more flush, and end() waits for it`()
    throws
  {
    let (begun, goOn) = (try WakeUp(), try WakeUp())
    let stored = Atomic<Int>(0)
    let sync = try DataSync {
      begun.signal()
      goOn.wait()
      stored.add(1, ordering: .relaxed)
      return 0
    } time: {
      .zero
    } report: { _ in
    }
    sync.request()
    begun.wait()
    for _ in 0..<100 { sync.request() }
    goOn.signal()
    begun.wait()
    goOn.signal()
    sync.end()
    #expect(stored.load(ordering: .relaxed) == 2)
    #expect(sync.failureCode == 0)
  }

  @Test func `the failure of a flush is kept until it is read`() throws {
    let sync = try DataSync(Descriptor(owning: -1), path: "a")
    sync.request()
    while sync.failureCode == 0 { sched_yield() }
    sync.end()
    #expect(sync.failureCode == EBADF)
  }

  @Test func `a flush has the same stack depth after thousands of reads of the failure code`()
    throws
  {
    let addresses = Mutex<[Int]>([])
    let stored = try WakeUp()
    let threads = try ThreadPool(name: "syrinx-store", joinDelay: .seconds(3_600))
    let sync = try DataSync(on: threads) {
      var here = 0
      withUnsafePointer(to: &here) { pointer in
        addresses.withLock { $0.append(Int(bitPattern: pointer)) }
      }
      stored.signal()
      return 0
    } time: {
      .zero
    } report: { _ in
    }
    sync.request()
    stored.wait()
    for _ in 0..<10_000 { _ = sync.failureCode }
    sync.request()
    stored.wait()
    sync.end()
    #expect(Set(addresses.withLock { $0.prefix(2) }).count == 1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a flush that does not return delays neither other flushes nor the end of other files`()
    throws
  {
    let threads = try ThreadPool(name: "syrinx-store", joinDelay: .milliseconds(1))
    let (begun, goOn, stored) = (try WakeUp(), try WakeUp(), try WakeUp())
    let stuck = try DataSync(on: threads) {
      begun.signal()
      goOn.wait()
      return 0
    } time: {
      .zero
    } report: { _ in
    }
    let other = try DataSync(on: threads) {
      stored.signal()
      return 0
    } time: {
      .zero
    } report: { _ in
    }
    stuck.request()
    begun.wait()
    other.request()
    stored.wait()
    other.end()
    goOn.signal()
    stuck.end()
  }

  @Test func `end() does not wait for a flush that has not begun`() throws {
    let (threads, goOn) = try blockedPool()
    let stored = Atomic<Bool>(false)
    let sync = try DataSync(on: threads) {
      stored.store(true, ordering: .relaxed)
      return 0
    } time: {
      .zero
    } report: { _ in
    }
    sync.request()
    sync.end()
    goOn.signal()
    let over = try WakeUp()
    threads.perform { over.signal() }
    over.wait()
    #expect(stored.load(ordering: .relaxed) == false)
  }

  @Test func `end() returns even without a flush request, and even when repeated`() throws {
    let sync = try DataSync(Descriptor(owning: -1), path: "a")
    sync.end()
    sync.end()
  }

  @Test func `after end(), the file is released even if the thread still runs`() throws {
    var file: Descriptor? = Descriptor(owning: -1)
    weak let held = file
    let sync = try DataSync(try #require(file), path: "a")
    sync.request()
    file = nil
    #expect(held != nil)
    sync.end()
    #expect(held == nil)
    // This use keeps `sync` alive until here, which shows that `end` released the closures.
    #expect(sync.failureCode == EBADF || sync.failureCode == 0)
  }

  @Test func `a slow disk is reported while it blocks`() throws {
    let seconds = Atomic<Int64>(0)
    let told = Mutex<[Duration]>([])
    let (begun, goOn) = (try WakeUp(), try WakeUp())
    let sync = try DataSync {
      begun.signal()
      goOn.wait()
      return 0
    } time: {
      .seconds(seconds.load(ordering: .relaxed))
    } report: { time in
      told.withLock { $0.append(time) }
    }
    sync.request()
    begun.wait()
    for second in 1...7 {
      seconds.store(Int64(second), ordering: .relaxed)
      sync.request()
    }
    #expect(told.withLock { $0 } == [.seconds(6)])
    // The first signal ends the running flush, and the second one ends the next flush.
    goOn.signal()
    begun.wait()
    goOn.signal()
    sync.end()
  }

  @Test func `a request that waits for a thread is reported as slow, but not after end()`() throws {
    let (threads, goOn) = try blockedPool()
    let seconds = Atomic<Int64>(0)
    let reported = Mutex<[Duration]>([])
    func makeSync() throws -> DataSync {
      try DataSync(on: threads) {
        0
      } time: {
        .seconds(seconds.load(ordering: .relaxed))
      } report: { time in
        reported.withLock { $0.append(time) }
      }
    }
    let (sync, other) = (try makeSync(), try makeSync())
    sync.request()
    other.request()
    other.end()
    seconds.store(6, ordering: .relaxed)
    for _ in 0..<2 { sync.request() }
    other.request()
    #expect(reported.withLock { $0 } == [.seconds(6)])
    goOn.signal()
    sync.end()
  }

  @Test func `each flush that takes over five seconds is reported once, with its own duration`()
    throws
  {
    let durations: [Int64] = [4, 4, 5, 6, 6]
    let seconds = Atomic<Int64>(0)
    let count = Atomic<Int>(0)
    let reported = Mutex<[Duration]>([])
    let stored = try WakeUp()
    let sync = try DataSync {
      let index = count.add(1, ordering: .relaxed).oldValue
      seconds.add(durations[index], ordering: .relaxed)
      stored.signal()
      return 0
    } time: {
      .seconds(seconds.load(ordering: .relaxed))
    } report: { time in
      reported.withLock { $0.append(time) }
    }
    for _ in durations {
      sync.request()
      stored.wait()
    }
    sync.end()
    #expect(reported.withLock { $0 } == [.seconds(6), .seconds(6)])
  }

  @Test func `a long time without a flush is not reported as a slow disk`() throws {
    let seconds = Atomic<Int64>(0)
    let told = Mutex<[Duration]>([])
    let stored = try WakeUp()
    let sync = try DataSync {
      stored.signal()
      return 0
    } time: {
      .seconds(seconds.load(ordering: .relaxed))
    } report: { time in
      told.withLock { $0.append(time) }
    }
    sync.request()
    stored.wait()
    // After `end` returns, no flush is in progress, so another 100 seconds cause no report.
    sync.end()
    seconds.store(100, ordering: .relaxed)
    sync.request()
    #expect(told.withLock { $0 } == [])
  }

  @Test func `when a slow flush is reported, its failure code can already be read`() throws {
    let seconds = Atomic<Int64>(0)
    let (begun, goOn) = (try WakeUp(), try WakeUp())
    let (reported, seen) = (try WakeUp(), try WakeUp())
    let sync = try DataSync {
      begun.signal()
      goOn.wait()
      return EIO
    } time: {
      .seconds(seconds.load(ordering: .relaxed))
    } report: { _ in
      reported.signal()
      seen.wait()
    }
    sync.request()
    begun.wait()
    seconds.store(6, ordering: .relaxed)
    goOn.signal()
    reported.wait()
    #expect(sync.failureCode == EIO)
    seen.signal()
    sync.end()
  }

  @Test(arguments: [SoundFileEncoding.wav16, .flac16, .oggVorbis, .opus, .mp3])
  func `data is flushed to the disk every second`(encoding: SoundFileEncoding) throws {
    let folder = try TestFolder()
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let file = try GrowingFile(path: folder.file("a").path)
    let output: any SoundFileOutput =
      encoding == .oggVorbis
      ? try VorbisOutput(file, format: format)
      : try EncodedOutput(file, format: format, encoding: encoding)
    let asked = Atomic<Int>(0)
    let writer = SoundFileWriter(file, output: output, format: format, encoding: encoding) { _, _ in
      asked.add(1, ordering: .relaxed)
      // The error simulates that no thread could be started, so the writer tries again each second.
      throw CancellationError()
    }
    for _ in 0..<3 { try writer.write(AudioBuffer(silence: 48_000, format: format)) }
    try writer.close()
    #expect(asked.load(ordering: .relaxed) == 3)
  }

  @Test func `a failure of the last flush is thrown by close`() throws {
    let folder = try TestFolder()
    let (begun, goOn) = (try WakeUp(), try WakeUp())
    let file = try GrowingFile(path: folder.file("a.wav").path)
    let output = try WAVFileOutput(file, header: WAVFileHeader(format: cd, samples: .int16))
    let writer = SoundFileWriter(file, output: output, format: cd, encoding: .wav16) { _, _ in
      try DataSync {
        begun.signal()
        goOn.wait()
        return EIO
      } time: {
        .zero
      } report: { _ in
      }
    }
    try writer.write(AudioBuffer(silence: 44_100, format: cd))
    begun.wait()
    goOn.signal()
    #expect(throws: SoundFileError.self) { try writer.close() }
    #expect(writer.framesWritten == 44_100)
  }
}
