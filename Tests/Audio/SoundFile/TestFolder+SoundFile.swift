import AudioCore
import Foundation
import SoundFile
import TestTools

extension TestFolder {
  /// Creates a file with the given content.
  func file(_ name: String, _ content: Data) throws -> URL {
    let file = file(name)
    try content.write(to: file)
    return file
  }

  /// Creates a file with `SoundFileWriter`.
  func file(
    _ name: String, _ encoding: SoundFileEncoding, _ buffer: AudioBuffer
  ) throws -> URL {
    let file = file(name)
    let writer = try SoundFileWriter(url: file, format: buffer.format, encoding: encoding)
    try writer.write(buffer)
    try writer.close()
    return file
  }
}

/// Returns all samples of a file, read in blocks of `block` frames.
func everything(_ reader: SoundFileReader, block: FrameCount = 1_000) throws -> [Float] {
  var samples: [Float] = []
  while true {
    let buffer = try reader.read(atMost: block)
    if buffer.isEmpty { return samples }
    samples += buffer.samples
  }
}

func everything(_ url: URL) throws -> [Float] {
  try everything(SoundFileReader(url: url))
}

/// Returns the ratio of the signal to its difference from `other`, in dB.
func signalToNoise(_ signal: [Float], _ other: [Float]) -> Double {
  let power = signal.reduce(0) { $0 + Double($1) * Double($1) }
  let noise = zip(signal, other).reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
  return noise == 0 ? .infinity : 10 * log10(power / noise)
}

let cd = AudioFormat(sampleRate: 44_100, channelCount: 2)

/// Returns a second of stereo audio with 16-bit sample values; the two channels differ.
func sampleBuffer() -> AudioBuffer { samples }

/// The samples are created once, because that takes a while in a debug build.
private let samples: AudioBuffer = {
  let sine = AudioSignal.sine(440).buffer(.seconds(1), format: cd).samples
  let hiss = AudioSignal.noise(seed: 7, amplitude: 0.25).buffer(.seconds(1), format: cd).samples
  let mixed = sine.indices.map { index in
    let sample = index % 2 == 0 ? sine[index] : sine[index] / 2 + hiss[index]
    return (sample * 32_768).rounded() / 32_768
  }
  return AudioBuffer(format: cd, samples: mixed)
}()
