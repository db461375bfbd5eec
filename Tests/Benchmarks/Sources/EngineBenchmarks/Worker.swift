import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import BenchmarkTools
import ClientDependencies
import Foundation
import SoundCard
import VirtualSoundCard

/// Plays or records an hour of sound in a separate process, on a virtual card that is as fast as
/// the engine.
enum Worker {
  /// Starts the process and returns the three figures that it prints: one name and number of MiB
  /// per line.
  static func lines(_ arguments: [String]) throws -> [(String, Double)] {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = figures(in: text)
    guard process.terminationStatus == 0, lines.count == 3 else {
      throw Program.Failure(
        description: "\(arguments.prefix(2).joined(separator: " ")) ended with status "
          + "\(process.terminationStatus) and printed \(lines.count) figures of 3")
    }
    return lines
  }

  private static func figures(in text: String) -> [(String, Double)] {
    text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "\t")
      guard cells.count == 2, let number = Double(cells[1]) else { return nil }
      return (String(cells[0]), number)
    }
  }

  static func run(_ work: String) async throws {
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .steady, keepsPlayback: false)
    let paths = CommandLine.arguments.suffix(2).map { URL(filePath: $0) }
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      if work == "play" { try await play(paths[0]) } else { try await record(to: paths[1]) }
    }
  }

  private static func play(_ url: URL) async throws {
    var memory = Memory(work: "playing")
    let request = PlaybackRequest(source: .file(url), repetition: .times(60))
    for try await event in await AudioPlayerClient.liveValue.playback(request) {
      if case .progress(let progress) = event { try memory.look(at: progress.played) }
    }
    try memory.finish()
  }

  private static func record(to url: URL) async throws {
    var memory = Memory(work: "recording")
    let request = RecordingRequest(
      url: url, sampleRate: 48_000, channelCount: 2, maximumDuration: .seconds(3_600))
    for try await event in await AudioRecorderClient.liveValue.recording(request) {
      if case .levels(let levels) = event { try memory.look(at: levels.recorded) }
    }
    try memory.finish()
    try FileManager.default.removeItem(at: url)
  }
}

/// The memory of a process after ten seconds of sound, and at its end.
private struct Memory {
  let work: String
  private var early: Int?
  private var latest = 0

  init(work: String) {
    self.work = work
  }

  mutating func look(at time: Duration) throws {
    guard early == nil, time >= .seconds(10) else {
      latest = early == nil ? 0 : try Program.residentBytes(of: "self")
      return
    }
    early = try Program.residentBytes(of: "self")
  }

  /// Prints the figures; throws if nothing was measured.
  func finish() throws {
    guard let early, latest > 0 else {
      throw Program.Failure(description: "\(work) reported no sound beyond 10 s")
    }
    let first = Double(early) / 1_048_576
    let last = Double(latest) / 1_048_576
    print("engine \(work), after 10 s of sound\t\(first)")
    print("engine \(work), after an hour of sound\t\(last)")
    print("more in an hour, \(work)\t\(last - first)")
  }
}

extension VirtualMicrophone {
  /// A microphone that repeats a short pattern, which takes almost no CPU time.
  static let steady = VirtualMicrophone { format in
    { samples, _ in
      for index in samples.indices { samples[index] = Float(index % 97) / 200 }
      return FrameCount(samples.count / format.channelCount)
    }
  }
}
