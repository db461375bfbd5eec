import AudioCore
import Foundation
import Testing

@testable import SoundFile

/// The process is killed with the signal that nothing can be done about.
@Suite struct SurvivalTests {
  /// In frames: in the midst of a second, right after its end, and later.
  @Test(arguments: [20_000, 32_001, 47_000, 66_123])
  func `whenever a process is killed, every reader finds all but the last second`(
    moment: Int
  ) async throws {
    let folder = try TestFolder()
    try await writeAndDie(in: folder, after: moment)
    for encoding in SoundFileEncoding.allCases {
      // A page of Ogg Vorbis holds 4 KB, which of this noise are 0.93 s.
      let latest = encoding == .oggVorbis ? 17_600 : 16_000
      for (reader, found) in try framesByReader(folder.file(encoding.fileName), encoding) {
        #expect(found >= moment - latest, "\(reader) found \(found) of \(moment) in \(encoding)")
        #expect(found <= moment + 2_304, "\(reader) found \(found) of \(moment) in \(encoding)")
      }
    }
  }
}

extension SoundFileEncoding {
  fileprivate var fileName: String {
    "\(samples.map(\.rawValue) ?? "lossy").\(container.pathExtensions[0])"
  }
}

/// Writes so many frames into a file of every kind, in periods of 50 ms, and closes none.
private func writeAndDie(in folder: TestFolder, after count: Int) async throws {
  await #expect(processExitsWith: .signal(SIGKILL)) {
    [path = folder.url.path as String, count = count as Int] in
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    let sound = AudioSignal.noise(seed: 5, amplitude: 0.5).buffer(
      FrameCount(count), format: format)
    let writers = try SoundFileEncoding.allCases.map {
      let url = URL(fileURLWithPath: path).appending(path: $0.fileName)
      return try SoundFileWriter(url: url, format: format, encoding: $0)
    }
    for start in stride(from: 0, to: count, by: 800) {
      let period = sound.frames(FrameCount(start)..<FrameCount(min(start + 800, count)))
      for writer in writers { try writer.write(period) }
    }
    kill(getpid(), SIGKILL)
  }
}

private func framesByReader(
  _ url: URL, _ encoding: SoundFileEncoding
) throws -> [(reader: String, count: Int)] {
  let reader = try SoundFileReader(url: url)
  var read = 0
  while let block = try? reader.read(atMost: 4_096), !block.isEmpty {
    read += block.frameCount.rawValue
  }
  var found = [("libsndfile", read)]
  found.append(
    (
      "FFmpeg",
      try Tool.ffmpeg("-i", url.path, "-ar", "16000", "-f", "f32le", "-").floats.count
    ))
  // SoX has no handler for Opus.
  if encoding != .opus {
    found.append(("SoX", try Tool.sox(url.path, "-t", "f32", "-").floats.count))
  }
  if encoding.container == .wav, encoding.samples != .float {
    let python = try Tool.pythonFrames(url.path)
    found.append(("Python", python.read))
    #expect(python.announced == python.read)
  }
  return found
}
