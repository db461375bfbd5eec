import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Tests what remains of a file if its writer is killed with SIGKILL.
@Suite struct SurvivalTests {
  /// The frame counts are 1.25 s, one frame more than 2 s, 2.94 s, and 4.13 s at 16 kHz.
  @Test(arguments: [20_000, 32_001, 47_000, 66_123])
  func `a killed process loses at most the last second of a file, whatever program reads it`(
    moment: Int
  ) async throws {
    let folder = try TestFolder()
    try await writeAndDie(in: folder, after: moment)
    for encoding in SoundFileEncoding.allCases {
      for (reader, found) in try framesByReader(folder.file(encoding.fileName), encoding) {
        #expect(found >= moment - 16_000, "\(reader) found \(found) of \(moment) in \(encoding)")
        #expect(found <= moment + 2_304, "\(reader) found \(found) of \(moment) in \(encoding)")
      }
    }
  }

  /// The audio has so few bytes or frames per second that an encoder could buffer seconds of audio.
  @Test(
    arguments: [
      (.oggVorbis, 8_000), (.oggVorbis, 48_000), (.opus, 8_000), (.flac16, 2_000),
    ] as [(SoundFileEncoding, Int)])
  func `a killed process loses at most the last second of a quiet tone`(
    encoding: SoundFileEncoding, rate: Int
  ) async throws {
    let folder = try TestFolder()
    let place = folder.file(encoding.fileName)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [url = place as URL, rate = rate as Int] in
      let format = AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: 1)
      let writer = try SoundFileWriter(
        url: url, format: format, encoding: try SoundFileEncoding(pathExtension: url.pathExtension))
      let tone = AudioSignal.sine(440, amplitude: 0.05).buffer(.seconds(8), format: format)
      // 7.25 s, in periods of 50 ms.
      for start in stride(from: 0, to: rate * 29 / 4, by: rate / 20) {
        try writer.write(tone.frames(FrameCount(start)..<FrameCount(start + rate / 20)))
      }
      kill(getpid(), SIGKILL)
    }
    for (reader, found) in try framesByReader(place, encoding, rate: rate) {
      #expect(found >= rate * 25 / 4, "\(reader) found \(found) of \(rate * 29 / 4)")
    }
  }
}

extension SoundFileEncoding {
  fileprivate var fileName: String {
    "\(samples.map(\.rawValue) ?? "lossy").\(container.pathExtensions[0])"
  }
}

/// Writes `count` frames to a file of each encoding, 50 ms at a time, and closes none of the files.
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
  _ url: URL, _ encoding: SoundFileEncoding, rate: Int = 16_000
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
      try Tool.ffmpeg("-i", url.path, "-ar", "\(rate)", "-f", "f32le", "-").floats.count
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
