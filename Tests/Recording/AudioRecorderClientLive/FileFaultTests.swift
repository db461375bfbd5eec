import AudioCore
import AudioRecorderClient
import ClientDependencies
import Foundation
import SoundCard
import SoundFile
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// Faults of a recording's file, in every container.
@Suite struct FileFaultTests {
  private static let containers = SoundFileEncoding.Container.allCases

  /// Runs in a separate process, because the limit applies to all files of a process.
  ///
  /// The process does not ignore SIGXFSZ, so a write beyond the limit would end the process.
  @Test
  func `reaching the file-size limit is an error, and the file holds the audio up to the limit`()
    async
  {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
      setrlimit(__rlimit_resource_t(1), &limit)
      let folder = try Folder()
      for container in FileFaultTests.containers {
        let url = folder.url.appending(path: container.rawValue)
        let closed = Mutex<RecordingFinish?>(nil)
        await #expect(throws: AudioRecorderError.fileTooLarge(url)) {
          try await record(container, url) { event in
            if case .closed(let finish) = event { closed.withLock { $0 = finish } }
          }
        }
        let reader = try SoundFileReader(url: url)
        while try !reader.read(atMost: 4_096).isEmpty {}
        #expect(reader.framesRead > 20_000 && reader.shortfall?.announced == nil, "\(container)")
        let frameCount = closed.withLock { $0?.frameCount }
        #expect(frameCount == reader.framesRead, "\(container)")
      }
    }
  }

  /// The disk has space for no header, for part of a header, or for a header without a frame.
  @Test func `if the disk is full, a failed attempt to create the next file leaves no file`() async
  {
    await #expect(processExitsWith: .success) {
      let folder = try Folder()
      let url = folder.url.appending(path: "out.wav")
      let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
      for room in [0, 50, 60] {
        let files = try RecordingFiles(
          url, format: format, encoding: .wavFloat, report: { _ in })
        let sound = AudioSignal.noise(seed: 1).buffer(8_000, format: format)
        try files.append(sound)
        var limit = rlimit(rlim_cur: rlim_t(room), rlim_max: .max)
        setrlimit(__rlimit_resource_t(1), &limit)
        files.roll()
        #expect(throws: AudioRecorderError.self) {
          try files.append(sound)
          try files.append(sound)
        }
        // The failure has already been reported, so closing does not throw it again.
        try files.close()
        limit.rlim_cur = .max
        setrlimit(__rlimit_resource_t(1), &limit)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left == ["out.wav"], "\(room)")
        #expect(try SoundFileReader(url: url).read(atMost: 16_000).frameCount >= 8_000)
      }
    }
  }

  @Test(arguments: containers)
  func `a full disk is an error`(container: SoundFileEncoding.Container) async {
    let url = URL(filePath: "/dev/full")
    await #expect(throws: AudioRecorderError.diskFull(url)) { try await record(container, url) }
  }

  /// The name has the maximum length of 255 bytes, so the next file's number makes it too long.
  @Test(arguments: containers)
  func `a next file that cannot be created is an error, and the last file is complete`(
    container: SoundFileEncoding.Container
  ) async throws {
    let folder = try Folder()
    let name = String(repeating: "o", count: 255)
    let url = folder.url.appending(path: name)
    let next = folder.url.appending(path: name + "-001")
    let closed = Mutex<RecordingFinish?>(nil)
    let rolling = RecordingRollingRule(length: .milliseconds(500))
    let error = await #expect(throws: AudioRecorderError.self) {
      try await record(container, url, rolling: rolling) { event in
        if case .closed(let finish) = event { closed.withLock { $0 = finish } }
      }
    }
    guard case .file(next, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let reader = try SoundFileReader(url: url)
    while try !reader.read(atMost: 4_096).isEmpty {}
    // The last file continues for a second, until the second attempt to create the next file.
    #expect(reader.framesRead >= 72_000 && reader.shortfall == nil)
    #expect(closed.withLock { $0?.frameCount } == reader.framesRead)
    #expect(closed.withLock { $0?.file?.path } == url.path)
  }

  @Test(arguments: containers)
  func `if the folder is removed, the error names the copy of the recorded audio`(
    container: SoundFileEncoding.Container
  ) async throws {
    let folder = try Folder()
    let gone = folder.url.appending(path: "gone")
    try FileManager.default.createDirectory(at: gone, withIntermediateDirectories: false)
    let url = gone.appending(path: "out")
    let copy = folder.url.appending(path: "out-recovered")
    let closed = Mutex<RecordingFinish?>(nil)
    // The virtual card's time stands still while the test removes the folder.
    let clock = TestClock()
    let recording = Task {
      try await record(container, url, clock: clock) { event in
        switch event {
        case .levels(let levels) where levels.recorded >= .seconds(1):
          try? FileManager.default.removeItem(at: gone)
        case .closed(let finish): closed.withLock { $0 = finish }
        default: break
        }
      }
    }
    await clock.advance(until: recording)
    await #expect(throws: AudioRecorderError.fileRecovered(url, copy: copy)) {
      try await recording.value
    }
    let reader = try SoundFileReader(url: copy)
    while try !reader.read(atMost: 4_096).isEmpty {}
    #expect(reader.framesRead >= 47_000 && reader.shortfall == nil)
    #expect((closed.withLock { $0?.frameCount } ?? 0) >= 48_000)
    // The file could not be completed under its name, so the event names no file.
    #expect(closed.withLock { $0?.file } == nil)
  }
}

/// Records twelve seconds of noise, as fast as possible or paced by a clock.
private func record(
  _ container: SoundFileEncoding.Container, _ url: URL,
  rolling: RecordingRollingRule = RecordingRollingRule(), clock: TestClock<Duration>? = nil,
  _ event: (RecordingEvent) -> Void = { _ in }
) async throws {
  let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  let noise = AudioSignal.noise(seed: 1).buffer(.seconds(12), format: format)
  let pace = clock.map { VirtualPace.lockstep($0) } ?? .untimed
  try await withDependencies {
    if let clock { $0.continuousClock = clock }
    $0.soundCard = VirtualSoundCard(pace: pace, microphone: .buffer(noise)).soundCard
  } operation: {
    let request = RecordingRequest(
      url: url, encoding: SoundFileEncoding(container), rolling: rolling)
    for try await happened in await AudioRecorderClient.liveValue.recording(request: request) {
      event(happened)
    }
  }
}

/// A folder that is removed with its last reference.
private final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
