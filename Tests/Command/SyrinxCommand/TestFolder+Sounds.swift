import AudioCore
import Foundation
import SoundFile
import TestTools

extension TestFolder {
  /// Writes a sine of 440 Hz at −6 dBFS, 16-bit, 16 kHz, mono.
  @discardableResult
  func tone(_ name: String, _ length: Duration) throws -> URL {
    let signal = AudioSignal.sine(440, amplitude: 0.5)
    return try write(signal.buffer(length, format: .speech), to: name)
  }

  /// Writes silence, 16-bit, 16 kHz, mono.
  func silence(_ name: String, _ length: Duration) throws {
    try write(AudioBuffer(silence: FrameCount(length, at: .speech), format: .speech), to: name)
  }

  /// Writes noise at −6 dBFS, 16-bit, which every encoder turns into many bytes.
  func noise(_ name: String, _ length: Duration, format: AudioFormat) throws {
    try write(AudioSignal.noise(seed: 3, amplitude: 0.5).buffer(length, format: format), to: name)
  }

  /// Writes these samples unchanged, 32-bit float, 16 kHz, mono.
  func floats(_ name: String, _ samples: [Float]) throws {
    let writer = try SoundFileWriter(url: file(name), format: .speech, encoding: .wavFloat)
    try writer.write(AudioBuffer(format: .speech, samples: samples))
    try writer.close()
  }

  @discardableResult
  private func write(_ buffer: AudioBuffer, to name: String) throws -> URL {
    let writer = try SoundFileWriter(
      url: file(name), format: buffer.format,
      encoding: .init(pathExtension: file(name).pathExtension))
    try writer.write(buffer)
    try writer.close()
    return file(name)
  }

  /// Writes the first `bytes` bytes of a tone of one second; its header announces the whole tone.
  func truncatedTone(_ name: String, bytes: Int) throws {
    let whole = try Data(contentsOf: try tone("whole-\(name)", .seconds(1)))
    try whole.prefix(bytes).write(to: file(name))
  }

  /// Copies one of the project's own recordings.
  func sample(_ name: String, as copy: String) throws {
    let sounds = Checkout.file("Samples/sounds")
    try FileManager.default.copyItem(at: sounds.appending(path: name), to: file(copy))
  }

  /// Copies a recording of "go forward ten meters".
  func speech(_ name: String) throws {
    try sample("go-forward.wav", as: name)
  }

  /// Returns all samples of a file.
  func samples(_ name: String) throws -> [Float] {
    let reader = try SoundFileReader(url: file(name))
    var samples: [Float] = []
    while case let buffer = try reader.read(atMost: 4_096), !buffer.isEmpty {
      samples += buffer.samples
    }
    return samples
  }

  /// Creates a file for the output of a program.
  func output() throws -> Output {
    let file = file("output-\(UUID().uuidString)")
    try Data().write(to: file)
    return Output(url: file, handle: try FileHandle(forWritingTo: file))
  }

  struct Output {
    let url: URL
    let handle: FileHandle

    func text() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
  }
}

extension TestFolder {
  /// Runs `syrinx play` with these arguments on the virtual card.
  func play(_ arguments: String...) async throws -> BuiltCommand.Outcome {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await BuiltCommand.shell("syrinx play \(words) -d virtual", in: self)
  }
}
