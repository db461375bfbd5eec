import AudioCore
import Synchronization
import Testing

@Suite struct InPlaceAudioTests {
  private let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `samples change in place, without an allocation`() {
    var buffer = AudioBuffer(format: format, samples: [1, 2, 3, 4], firstFrame: 7)
    buffer.silencedSampleCount = 2
    let before = buffer.address
    let sum = buffer.withMutableSamples { samples in
      for index in samples.indices { samples[index] *= 2 }
      return samples[0] + samples[3]
    }
    #expect(sum == 10)
    #expect(buffer == AudioBuffer(format: format, samples: [2, 4, 6, 8], firstFrame: 7))
    #expect(buffer.silencedSampleCount == 2)
    #expect(buffer.address == before)
  }

  @Test func `changing a copy leaves the original unchanged`() {
    let buffer = AudioBuffer(format: format, samples: [1, 2, 3, 4])
    var copy = buffer
    copy.withMutableSamples { $0[0] = 9 }
    #expect(buffer.samples == [1, 2, 3, 4] && copy.samples == [9, 2, 3, 4])
    #expect(buffer.mapSamples { -$0 }.samples == [-1, -2, -3, -4])
    #expect(buffer.samples == [1, 2, 3, 4])
  }

  /// Whether each buffer of a source keeps its address in an operator's output.
  private func isInPlace<Output: AsyncSequence>(
    _ change: (AsyncStream<AudioBuffer>) -> Output
  ) async -> Bool where Output.Element == AudioBuffer, Output.Failure == Never {
    let made = Mutex<[Int]>([])
    let source = AsyncStream<AudioBuffer> { [format] in
      let buffer = AudioBuffer(silence: 100, format: format)
      let count = made.withLock { made in
        made.append(buffer.address)
        return made.count
      }
      return count > 20 ? nil : buffer
    }
    var changed: [Int] = []
    for await buffer in change(source) { changed.append(buffer.address) }
    return changed.count == 20 && changed == Array(made.withLock { $0 }.prefix(20))
  }

  @Test func `operators change a buffer in place unless another reference to it exists`() async {
    #expect(await isInPlace { $0.mapSamples { $0 + 1 } })
    #expect(
      await isInPlace {
        $0.processed(with: Float.zero) { level, buffer in
          buffer.withMutableSamples { $0[0] = level }
        }
      })
    #expect(
      await !isInPlace {
        $0.processed(with: [AudioBuffer]()) { kept, buffer in
          kept = [buffer]
          buffer.withMutableSamples { $0[0] = 1 }
        }
      })
  }

  @Test func `each iteration has its own state, and typed errors keep their type`() async {
    let counted = StreamOf(counting(0..<2)).processed(with: Float.zero) { count, buffer in
      count += 1
      buffer.withMutableSamples { $0[0] = count }
    }
    for _ in 0..<2 {
      // This compiles only if the stream's `Failure` is `Never`.
      for await buffer in counted.mapSamples({ -$0 }) { #expect(buffer.samples == [-1, -1]) }
    }
  }
}

extension AudioBuffer {
  /// The address of the samples.
  fileprivate var address: Int {
    samples.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
  }
}
