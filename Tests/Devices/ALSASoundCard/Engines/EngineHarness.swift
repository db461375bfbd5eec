import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import SoundCard
import SoundFile

@testable import ALSASoundCard

/// Plays and records with the live clients on ALSA's test devices.
struct EngineHarness {
  let bench: TestALSA

  init() throws {
    bench = try TestALSA.ready()
  }

  /// The result of a playback.
  struct Played: Sendable {
    var events: [PlaybackEvent] = []
    var error: AudioPlayerError?

    /// How the playback finished; nil after an error.
    var finish: PlaybackFinish? {
      guard case .finished(let finish) = events.last else { return nil }
      return finish
    }

    var hasXrun: Bool {
      events.contains { if case .xrun = $0 { true } else { false } }
    }

    /// The total duration of all xruns.
    var dropouts: Duration {
      events.reduce(.zero) { sum, event in
        if case .xrun(let length) = event { sum + length } else { sum }
      }
    }

    var isStarved: Bool {
      events.contains { if case .starved = $0 { true } else { false } }
    }

    /// Returns whether the playhead never moved backward or past the end of the sound.
    func isMonotonic(upTo end: Duration) -> Bool {
      let positions = events.compactMap { event -> Duration? in
        if case .progress(let progress) = event { progress.played } else { nil }
      }
      return positions == positions.sorted() && positions.allSatisfy { $0 <= end }
    }
  }

  /// Plays mono samples at 48 kHz to their end.
  ///
  /// - Parameters:
  ///   - progressInterval: the time between progress events; the device's buffer grows with it.
  ///   - act: called once the playback has started.
  ///   - onEvent: called with every event.
  func play(
    _ samples: [Float], on device: String, onDeviceLoss: DeviceLossPolicy = .fail,
    progressInterval: Duration = .milliseconds(50),
    act: @escaping @Sendable (AudioPlayerClient) async -> Void = { _ in },
    onEvent: (PlaybackEvent) -> Void = { _ in }
  ) async -> Played {
    await withDependencies {
      $0.soundCard = .liveValue
      $0.continuousClock = ContinuousClock()
    } operation: {
      let player = AudioPlayerClient.liveValue
      var played = Played()
      let buffer = AudioBuffer(
        format: AudioFormat(sampleRate: 48_000, channelCount: 1), samples: samples)
      let stream = await player.playback(
        request: PlaybackRequest(
          source: .buffers([buffer]), device: AudioDevice.ID(rawValue: device),
          progressInterval: progressInterval, onDeviceLoss: onDeviceLoss))
      do {
        for try await event in stream {
          played.events.append(event)
          onEvent(event)
          if case .started = event { Task { await act(player) } }
        }
      } catch {
        played.error = error as? AudioPlayerError
      }
      return played
    }
  }

  /// The result of a recording.
  struct Recorded: Sendable {
    var events: [RecordingEvent] = []
    var error: AudioRecorderError?
    /// Whether the recording left a file.
    var hasFile = true
    /// The contents of the file.
    var samples: [Float] = []

    var finish: RecordingFinish? {
      guard case .finished(let finish) = events.last else { return nil }
      return finish
    }

    var lost: Duration {
      events.reduce(.zero) { sum, event in
        if case .xrun(let lost) = event { sum + lost } else { sum }
      }
    }
  }

  /// Records mono at 48 kHz into a file and reads it.
  ///
  /// - Parameters:
  ///   - channel: the device's channel to record, counted from 0; nil for a mix of all.
  ///   - act: called once the recording has started.
  ///   - onEvent: called with every event.
  func record(
    _ length: Duration?, from device: String, channel: Int? = nil,
    onDeviceLoss: DeviceLossPolicy = .fail,
    act: @escaping @Sendable (AudioRecorderClient) async -> Void = { _ in },
    onEvent: (RecordingEvent) -> Void = { _ in }
  ) async throws -> Recorded {
    let url = bench.directory.appending(path: "\(UUID().uuidString).wav")
    defer { try? FileManager.default.removeItem(at: url) }
    var recorded = await withDependencies {
      $0.soundCard = .liveValue
      $0.continuousClock = ContinuousClock()
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      var recorded = Recorded()
      let stream = await recorder.recording(
        request: RecordingRequest(
          url: url, device: AudioDevice.ID(rawValue: device), sampleRate: 48_000, channelCount: 1,
          maximumDuration: length, channels: channel.map { [$0] }, onDeviceLoss: onDeviceLoss))
      do {
        for try await event in stream {
          recorded.events.append(event)
          onEvent(event)
          if case .started = event { Task { await act(recorder) } }
        }
      } catch {
        recorded.error = error as? AudioRecorderError
      }
      return recorded
    }
    // A recording that is stopped before its first frame leaves no file.
    recorded.hasFile = FileManager.default.fileExists(atPath: url.path)
    guard recorded.hasFile else { return recorded }
    let reader = try SoundFileReader(url: url)
    while true {
      let buffer = try reader.read(atMost: 48_000)
      guard !buffer.isEmpty else { return recorded }
      recorded.samples += buffer.samples
    }
  }
}

/// Returns whether a raw file begins with these samples as floats, followed only by silence.
func isPlayed(_ file: URL, _ samples: [Float]) throws -> Bool {
  let played = try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  return played.starts(with: samples) && played.dropFirst(samples.count).allSatisfy { $0 == 0 }
}

/// The plug of a test card: a file that exists while the card is plugged in.
struct Plug: Sendable {
  let path: String

  init(in bench: TestALSA) {
    path = bench.directory.appending(path: "\(UUID().uuidString).plug").path()
    putBack()
  }

  func pull() { unlink(path) }

  func putBack() { _ = FileManager.default.createFile(atPath: path, contents: nil) }
}
