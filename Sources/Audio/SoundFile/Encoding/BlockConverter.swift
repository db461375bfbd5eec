import AudioCore

/// Converts blocks of samples for libsndfile, in preallocated memory.
///
/// The result has the file's channel order, and dither at 16 bits.
struct BlockConverter: ~Copyable {
  /// The number of samples in a block of whole frames.
  let capacity: Int

  private let coding: SoundFileEncoding.SampleFormat
  private let order: ChannelMix
  /// A block in the file's channel order; nil if that is the order of WAV files.
  ///
  /// This value owns and frees the block.
  private let ordered: UnsafeMutableBufferPointer<Float>?
  private var dither = Dither()
  private var short: [Int16] = []
  private var long: [Int32] = []

  init(_ format: AudioFormat, _ encoding: SoundFileEncoding) {
    coding = encoding.sampleCoding
    capacity = max(1, 8192 / format.channelCount) * format.channelCount
    order = ChannelMix(from: format.layout, to: encoding.storedLayout(of: format.layout))
    ordered = order.isIdentity ? nil : .allocate(capacity: capacity)
    switch coding {
    case .int16: short = Array(repeating: 0, count: capacity)
    case .int24, .int32: long = Array(repeating: 0, count: capacity)
    case .float: break
    }
  }

  deinit {
    ordered?.deallocate()
  }

  /// Writes a block of at most `capacity` samples and returns the number of frames that libsndfile
  /// accepted.
  mutating func write(
    _ block: UnsafeBufferPointer<Float>, frames: Int, to handle: borrowing SoundFileHandle
  ) -> Int {
    guard var samples = block.baseAddress else { return 0 }
    var block = block
    if let ordered, let target = ordered.baseAddress {
      order.apply(samples, frames: frames, into: target)
      samples = UnsafePointer(target)
      block = UnsafeBufferPointer(start: samples, count: block.count)
    }
    switch coding {
    case .int16:
      dither.quantize(block, into: &short)
      return handle.write(short, frames: frames)
    case .int24:
      // libsndfile expects the samples in the high bits of 32-bit integers.
      for index in block.indices { long[index] = block[index].int24Sample << 8 }
      return handle.write(long, frames: frames)
    case .int32:
      for index in block.indices { long[index] = block[index].int32Sample }
      return handle.write(long, frames: frames)
    case .float:
      return handle.write(samples, frames: frames)
    }
  }
}
