import AudioCore
import AudioRecorderClient
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import Observation
import SoundFile
import TestTools
import Testing

@Observable @MainActor
final class RoomMeter {
  private(set) var level = Decibels.silence
  private(set) var problem: String?
  @ObservationIgnored @Dependency(\.audioRecorder) private var recorder
  @ObservationIgnored private var task: Task<Void, Never>?

  func start() {
    task?.cancel()
    task = Task { [weak self, recorder] in
      do {
        for try await block in await recorder.capture(request: CaptureRequest()) {
          self?.level = block.level.peak
        }
      } catch {
        self?.problem = "\(error)"  // a sentence for users
      }
    }
  }

  deinit { task?.cancel() }
}

/// The examples of `AudioRecorderClient.docc`.
@Suite struct RecorderArticlesTests {
  private let file = URL(filePath: "take.wav")

  @Test(
    .dependencies {
      $0.audioRecorder = .previewValue
      $0.continuousClock = ImmediateClock()
    })
  func `beginRecording returns a recording that continues until it is stopped`() async throws {
    let clock = ImmediateClock()
    @Dependency(\.audioRecorder) var recorder
    let memo = try await recorder.beginRecording(url: file)
    try await clock.sleep(for: .seconds(5))
    let finish = try await memo.stop()  // the file is complete and on disk
    #expect(finish.reason == .stopped)
  }

  @Test func `startRecording returns after the recording is stopped`() async throws {
    let (stops, stop) = AsyncStream<Void>.makeStream()
    try await withDependencies {
      $0.audioRecorder.startRecording = { _ in
        for await _ in stops { return true }
        return false
      }
      $0.audioRecorder.stopRecording = { stop.yield() }
    } operation: {
      let clock = ImmediateClock()
      @Dependency(\.audioRecorder) var recorder
      let recording = Task { [recorder] in try await recorder.startRecording(url: file) }
      try await clock.sleep(for: .seconds(5))
      await recorder.stopRecording()
      let isComplete = try await recording.value
      #expect(isComplete)
    }
  }

  @Test(
    .dependencies {
      $0.audioRecorder = .previewValue
      $0.continuousClock = ImmediateClock()
    })
  func `a recording has events and levels, and can be paused`() async throws {
    @Dependency(\.audioRecorder) var recorder
    let memo = try await recorder.beginRecording(RecordingRequest(url: file))
    let levels = memo.levels
    let meter = Task { for await levels in levels { print(levels.level.peak) } }
    try await memo.pause()
    try await memo.resume()
    try await memo.stop()
    for try await event in memo.events { print(event) }  // started, paused, resumed, finished
    await meter.value
  }

  @Test(
    .dependencies {
      $0.audioRecorder = .previewValue
      $0.continuousClock = ImmediateClock()
    })
  func `all recordings are paused, and devices are listed`() async throws {
    @Dependency(\.audioRecorder) var recorder
    let request = RecordingRequest(url: file, id: "doorbell")
    let memo = try await recorder.beginRecording(request)
    try await recorder.control(id: "doorbell", command: .roll)
    await recorder.pause()
    if let recorded = await recorder.currentTime() { print("paused at \(recorded) s") }
    await recorder.resume()
    try await memo.stop()
    guard await recorder.requestRecordPermission() else { return }  // it cannot be opened now
    for device in try await recorder.devices() { print(device.id, device.name) }
  }

  @Test func `rules determine the beginning and the end of a recording`() async throws {
    let requests = LockIsolated<[RecordingRequest]>([])
    let recorder = withDependencies {
      $0.audioRecorder.recording = { request in
        requests.withValue { $0.append(request) }
        return AsyncThrowingStream { events in
          let length = Duration.seconds(4)
          let level = AudioSignal.sine(440).buffer(.milliseconds(100), format: .speech).level
          events.yield(.levels(RecordingLevels(recorded: length, level: level)))
          events.yield(
            .finished(RecordingFinish(reason: .silence, frameCount: 64_000, recorded: length)))
          events.finish()
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let voice = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
    let quiet = LevelRule(threshold: Decibels(-40), hold: .seconds(3))
    let request = RecordingRequest(
      url: file, maximumDuration: .seconds(60), start: .atSound(voice), preRoll: .seconds(1),
      endAfterSilence: quiet)
    for try await event in await recorder.recording(request: request) {
      switch event {
      case .levels(let levels): print(levels.recorded, levels.level.rms)
      case .xrun(let lost): print("lost \(lost)")
      case .finished(let finish): print("\(finish.reason) after \(finish.recorded)")
      default: break
      }
    }
    #expect(requests.value == [request])
  }

  @Test func `before an error, the recording reports the length of the kept audio`() async throws {
    let recorder = withDependencies {
      $0.audioRecorder.recording = { [file] _ in
        AsyncThrowingStream { events in
          events.yield(
            .closed(RecordingFinish(reason: .failed, frameCount: 48_000, recorded: .seconds(3))))
          events.finish(throwing: AudioRecorderError.diskFull(file))
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let request = RecordingRequest(url: file)
    var message = ""
    var kept = Duration.zero
    do {
      for try await event in await recorder.recording(request: request) {
        if case .closed(let finish) = event { kept = finish.recorded }
      }
    } catch AudioRecorderError.diskFull {
      message = "The disk is full. The first \(kept) are kept."
    }
    #expect(message == "The disk is full. The first 3.0 seconds are kept.")
  }

  @Test func `a test replaces the captured buffers with its own`() async throws {
    let tone = AudioSignal.sine(440).buffer(.seconds(1), format: .speech)
    let recorder = withDependencies {
      $0.audioRecorder.capture = { _ in
        AsyncThrowingStream { captured in
          captured.yield(CapturedAudio(buffer: tone, time: .zero))
          captured.finish()
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let request = CaptureRequest(
      sampleRate: .speech, channelCount: 1, droppingOldestAfter: .seconds(10))
    for try await block in await recorder.capture(request: request) {
      if let gap = block.gap { print("lost \(gap.lost) frames") }
      print(block.time, block.level.rms)
    }
    let folder = try TestFolder()
    let file = folder.file("talk.flac")
    let microphone = await recorder.capture(request: request).broadcast()
    let meter = microphone.consumer(.droppingOldestAfter(.seconds(1))).prefix(.seconds(60))
    let talk = microphone.consumer(.waiting).prefix(.seconds(60)).trimmingSilence()
    async let frames = talk.write(to: file, encoding: .flac16, atomically: false)
    for try await reading in meter.levels() { print(reading.level.rms) }
    print(try await frames)
    #expect(try AudioFileInfo(url: file).frameCount == 16_000)
  }

  @MainActor @Test func `a capture ends when its model is released`() async {
    let (blocks, capture) = AsyncThrowingStream<CapturedAudio, any Error>.makeStream()
    let (ends, end) = AsyncStream<Void>.makeStream()
    capture.onTermination = { _ in end.finish() }
    var meter: RoomMeter? = withDependencies {
      $0.audioRecorder.capture = { _ in blocks }
    } operation: {
      RoomMeter()
    }
    meter?.start()
    let tone = AudioSignal.sine(440).buffer(.milliseconds(100), format: .speech)
    capture.yield(CapturedAudio(buffer: tone, time: .zero))
    while meter?.level != tone.level.peak { await Task.yield() }
    meter = nil
    for await _ in ends {}
  }

  @Test func `a sound begins captured audio, and silence ends it`() async throws {
    let recorder = withDependencies {
      $0.audioRecorder.capture = { _ in
        AsyncThrowingStream { captured in
          for buffer in Steps.audio((0, 2_000), (0.5, 1_000), (0, 5_000)).cut(100) {
            captured.yield(CapturedAudio(buffer: buffer, time: .zero))
          }
          captured.finish()
        }
      }
    } operation: {
      @Dependency(\.audioRecorder) var recorder
      return recorder
    }
    let request = CaptureRequest()
    let folder = try TestFolder()
    let file = folder.file("visit.flac")
    let second = Duration.seconds(1)
    let visit = await recorder.capture(request: request)
      .startingAtSound(above: Decibels(-40), preRoll: second)
      .endingAfterSilence(below: Decibels(-40), hold: .seconds(3), preRoll: second)
    try await visit.write(to: file, encoding: .flac16, atomically: false)
    #expect(try AudioFileInfo(url: file).frameCount == 5_000)
  }
}
