import AudioCore
import ClientDependencies
import Foundation
import SileroDetector
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import TestTools
import Testing

@testable import SpeechClientLive

/// Returns audio in which the detector finds this many utterances: half a second of noise, a second
/// of quiet, and so on.
func audio(utterances: Int, format: AudioFormat = .speech) -> [AudioBuffer] {
  let rate = format.sampleRate.hertz
  let signal = AudioSignal { frame, sampleRate in
    let isLoud = frame % (rate * 3 / 2) >= rate && frame > rate / 2
    return AudioSignal.noise(seed: 1, amplitude: isLoud ? 0.2 : 0.001)
      .sample(at: FrameCount(frame), rate: sampleRate)
  }
  let tenth = FrameCount(rate / 10)
  return (0..<(utterances * 15 + 10)).map { index in
    signal.buffer(tenth, format: format, firstFrame: FrameCount(index * tenth.rawValue))
  }
}

/// Returns the index of the utterance in `audio(utterances:)` that begins with these samples; nil
/// for any other audio.
func utteranceIndex(_ samples: [Float]) -> Int? { utteranceStarts[Array(samples.prefix(2))] }

/// The indices of the utterances in `audio(utterances:)`.
///
/// The keys are the first two samples of each 10 ms step in the half second at which an utterance
/// can begin.
private let utteranceStarts: [[Float]: Int] = {
  let quiet = AudioSignal.noise(seed: 1, amplitude: 0.001)
  var starts: [[Float]: Int] = [:]
  for index in 0..<40 {
    for frame in stride(from: 8_000 + 24_000 * index, to: 16_000 + 24_000 * index, by: 160) {
      let samples = [frame, frame + 1].map { quiet.sample(at: FrameCount($0), rate: .speech) }
      starts[samples] = index
    }
  }
  return starts
}()

/// Returns a stream of buffers that has already ended.
func stream(_ buffers: [AudioBuffer]) -> AsyncStream<AudioBuffer> {
  AsyncStream { continuation in
    for buffer in buffers { continuation.yield(buffer) }
    continuation.finish()
  }
}

func sound(_ name: String) -> URL {
  Checkout.file("Samples/sounds/\(name)")
}

/// Runs a script below Tests/Support, and returns the path that it prints.
///
/// The script downloads the file at that path only once.
func printed(by script: String) throws -> URL {
  let path = Checkout.file("Tests/Support/\(script)").path
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["bash", path]
  process.standardOutput = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return URL(filePath: text.trimmingCharacters(in: .newlines))
}

/// Silero, with the library and the model that Tests/run.sh installs.
enum RealSilero {
  private static let folder: URL = {
    let named = ProcessInfo.processInfo.environment["SYRINX_TEST_ENGINES"].map { URL(filePath: $0) }
    return (named ?? Checkout.file(".build/engines")).appending(path: "syrinx")
  }()

  static var isInstalled: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "silero").path)
  }

  static var detector: SpeechActivityDetector {
    .silero(
      library: folder.appending(path: "onnxruntime/libonnxruntime.so"),
      model: folder.appending(path: "silero"))
  }
}

extension Trait where Self == ConditionTrait {
  /// The trait of tests that need the installed model.
  static var installedSilero: Self {
    .enabled(if: RealSilero.isInstalled, "Tests/run.sh has installed no Silero")
  }
}

extension AsyncThrowingStream where Element == SpeechRecognitionResult, Failure == any Error {
  /// Returns all results, to the end of the stream.
  func all() async throws -> [SpeechRecognitionResult] {
    var results: [SpeechRecognitionResult] = []
    for try await result in self { results.append(result) }
    return results
  }
}

extension [SpeechRecognitionResult] {
  /// The texts of the final results.
  var finals: [String] { filter(\.isFinal).map(\.bestTranscription.formattedString) }
}

extension SpeechTasks {
  /// Starts a task on `engine`, whatever the current `\.speechEngine` is.
  func start(
    _ request: SpeechRequest, on engine: SpeechEngine
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    withDependencies {
      $0.speechEngine = engine
    } operation: {
      start(request)
    }
  }
}
