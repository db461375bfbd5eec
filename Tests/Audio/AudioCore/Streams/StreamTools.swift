import SyrinxTestSupport

@testable import AudioCore

/// 10 frames per second: a frame lasts 0.1 s.
let slow = AudioFormat(sampleRate: 10, channelCount: 1)

extension BroadcastPolicy {
  /// The policy for a backlog of at most `count` frames of the format `slow`.
  static func droppingOldest(_ count: Int) -> BroadcastPolicy {
    .droppingOldestAfter(.milliseconds(100 * count))
  }
}

/// Returns a buffer with the given samples.
func audio(_ samples: [Float], at firstFrame: FrameCount = 0) -> AudioBuffer {
  AudioBuffer(format: slow, samples: samples, firstFrame: firstFrame)
}

/// Returns a buffer whose samples are the indices of its frames.
func counting(_ range: Range<Int>) -> AudioBuffer {
  audio(range.map { Float($0) }, at: FrameCount(range.lowerBound))
}

/// Returns the whole output of a processor for these buffers.
func all<Processor: AudioProcessor>(
  _ processor: Processor, _ buffers: AudioBuffer...
) throws -> [Processor.Output] {
  var processor = processor
  return try buffers.flatMap { try processor.process($0) } + processor.flush()
}

/// Passes hours of audio through a processor and returns the maximum number of frames that it held.
///
/// - Parameter signal: returns the value of all samples in a buffer, given the buffer's number.
func mostHeld<Processor: AudioProcessor>(
  by processor: Processor, hours: Int = 4, signal: (_ number: Int) -> Float = { _ in 0.5 }
) throws -> FrameCount {
  var processor = processor
  var most: FrameCount = 0
  for number in 0..<hours * 3_600 {
    let samples = [Float](repeating: signal(number), count: 10)
    _ = try processor.process(audio(samples, at: FrameCount(number * 10)))
    most = max(most, processor.heldFrames)
  }
  return most
}

/// Creates a diagram of buffers of two frames: `a` is frames 0 and 1, and `b` is 2 and 3.
///
/// A skipped letter is a gap.
func audioDiagram(_ inputs: String...) -> StreamDiagram<AudioBuffer> {
  StreamDiagram(inputs: inputs) { letter in
    let number = Int(letter.asciiValue ?? 0) - Int(Character("a").asciiValue ?? 0)
    return counting(number * 2..<number * 2 + 2)
  }
}

/// Returns the drawing of a buffer's samples, such as `<0 1>`.
func drawn(_ buffer: AudioBuffer) -> String {
  "<" + buffer.samples.map { "\(Int($0))" }.joined(separator: " ") + ">"
}
