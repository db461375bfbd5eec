import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct SampleConversionTests {
  @Test func `every 16-bit value is unchanged after encoding and decoding`() {
    let samples = (-32_768...32_767).map { Float($0) / 32_768 }
    for format in PCMSampleFormat.allCases {
      let isSame = roundTrip(samples, format) == samples
      #expect(isSame, "\(format)")
    }
  }

  @Test func `values beyond full scale are clipped, not wrapped`() {
    let loud: [Float] = [1, 1.5, 1e30, .infinity, -1, -1.5, -1e30, -.infinity]
    #expect(
      stored(loud, .int16, Int16.self)
        == [32_767, 32_767, 32_767, 32_767, -32_768, -32_768, -32_768, -32_768])
    let low = -Int32(1 << 23)
    #expect(
      stored(loud, .int24Packed, PackedInt24.self).prefix(4).allSatisfy { $0.value == 0x7f_ffff })
    #expect(stored(loud, .int24Packed, PackedInt24.self).suffix(4).allSatisfy { $0.value == low })
    #expect(stored(loud, .int24, Int32.self).prefix(4).allSatisfy { $0 == 0x7f_ffff })
    #expect(stored(loud, .int24, Int32.self).suffix(4).allSatisfy { $0 == low })
    #expect(stored(loud, .int32, Int32.self).prefix(4).allSatisfy { $0 == .max })
    #expect(stored(loud, .int32, Int32.self).suffix(4).allSatisfy { $0 == .min })
  }

  @Test func `NaN becomes silence`() {
    #expect(stored([.nan], .int16, Int16.self) == [0])
    #expect(stored([.nan], .int24, Int32.self) == [0])
    #expect(stored([.nan], .int24Packed, PackedInt24.self) == [PackedInt24(0)])
    #expect(stored([.nan], .int32, Int32.self) == [0])
  }

  @Test func `samples are rounded to the nearest step`() {
    let step: Float = 1 / 8_388_608
    let between = [0.4, 0.6, -0.4, -0.6, 1_000.4, 1_000.6].map { Float($0) * step }
    #expect(stored(between, .int24, Int32.self) == [0, 1, 0, -1, 1_000, 1_001])
    #expect(
      stored(between, .int24Packed, PackedInt24.self).map(\.value) == [0, 1, 0, -1, 1_000, 1_001])
  }

  @Test func `samples between two steps of 16 bits are dithered`() {
    let half = [Float](repeating: 0.5 / 32_768, count: 1_000)
    #expect(Set(stored(half, .int16, Int16.self)) == [0, 1])
  }

  @Test func `the fourth byte of a 24-bit sample is ignored`() {
    let words: [Int32] = [0x5500_0000 | 0x40_0000, 0x00c0_0000, Int32(bitPattern: 0xffc0_0000)]
    #expect(decoded(words, .int24) == [0.5, -0.5, -0.5])
  }

  private func stored<Value: BitwiseCopyable>(
    _ samples: [Float], _ format: PCMSampleFormat, _: Value.Type
  ) -> [Value] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: samples.count * 4, alignment: 16)
    defer { memory.deallocate() }
    guard let target = memory.baseAddress else { return [] }
    var dither = Dither()
    samples.withUnsafeBufferPointer {
      format.encode($0, to: target, dither: &dither)
    }
    return Array(memory.bindMemory(to: Value.self).prefix(samples.count))
  }

  private func decoded<Value: BitwiseCopyable>(
    _ values: [Value], _ format: PCMSampleFormat
  ) -> [Float] {
    var samples = [Float](repeating: 9, count: values.count)
    values.withUnsafeBytes { bytes in
      samples.withUnsafeMutableBufferPointer { samples in
        guard let source = bytes.baseAddress else { return }
        format.decode(source, to: samples)
      }
    }
    return samples
  }

  private func roundTrip(_ samples: [Float], _ format: PCMSampleFormat) -> [Float] {
    switch format {
    case .float32: decoded(stored(samples, format, Float.self), format)
    case .int16: decoded(stored(samples, format, Int16.self), format)
    case .int24Packed: decoded(stored(samples, format, PackedInt24.self), format)
    case .int24, .int32: decoded(stored(samples, format, Int32.self), format)
    }
  }
}
