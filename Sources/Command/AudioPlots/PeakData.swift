import AudioCore

/// Waveforms in the formats of BBC's audiowaveform, version 2.
///
/// Columns contain the lowest and the highest sample of each channel, in 8 or 16 bits.
public struct PeakData: Sendable {
  /// The number of bits of each value, 8 or 16.
  public let bits: Int
  private let image: WaveformImage

  /// Creates the peaks of a waveform; `bits` is 8 or 16.
  public init(_ image: WaveformImage, bits: Int) {
    precondition(bits == 8 || bits == 16, "peaks have 8 or 16 bits, not \(bits)")
    (self.image, self.bits) = (image, bits)
  }

  private var columnCount: Int { image.channels.first?.count ?? 0 }

  /// Returns the values: for each column, the lowest and the highest sample of each channel.
  private func values(of columns: Range<Int>) -> [Int] {
    columns.flatMap { column in
      image.channels.flatMap { [scaled($0[column].lowest), scaled($0[column].highest)] }
    }
  }

  private func scaled(_ sample: Float) -> Int {
    let limit = 1 << (bits - 1)
    let scaled = Int(clamping: (Double(sample) * Double(limit)).rounded(.down))
    return max(-limit, min(scaled, limit - 1))
  }

  /// The text of a `.json` file, in UTF-8.
  public var json: Blocks { Blocks(data: self, isText: true) }

  /// The bytes of a `.dat` file: a header of six little-endian 32-bit numbers and the values.
  public var dat: Blocks { Blocks(data: self, isText: false) }

  /// The bytes of a file in blocks.
  ///
  /// A whole file as text would take many times the memory of the values.
  public struct Blocks: Sequence, IteratorProtocol, Sendable {
    private static let columnsPerBlock = 4_096

    fileprivate let data: PeakData
    fileprivate let isText: Bool
    private var column = 0
    private var isComplete = false

    fileprivate init(data: PeakData, isText: Bool) {
      (self.data, self.isText) = (data, isText)
    }

    /// Returns the next bytes; nil at the end.
    public mutating func next() -> [UInt8]? {
      guard !isComplete else { return nil }
      let columns = column..<Swift.min(column + Self.columnsPerBlock, data.columnCount)
      column = columns.upperBound
      isComplete = column == data.columnCount
      return isText
        ? data.jsonBlock(columns, isLast: isComplete) : data.datBlock(columns)
    }
  }

  private func jsonBlock(_ columns: Range<Int>, isLast: Bool) -> [UInt8] {
    let head =
      "{\"version\":2,\"channels\":\(image.channels.count),"
      + "\"sample_rate\":\(image.format.sampleRate.hertz),"
      + "\"samples_per_pixel\":\(image.framesPerColumn.rawValue),\"bits\":\(bits),"
      + "\"length\":\(columnCount),\"data\":["
    let numbers = values(of: columns).map { "\($0)" }.joined(separator: ",")
    let text = (columns.lowerBound == 0 ? head : ",") + numbers + (isLast ? "]}\n" : "")
    return Array(text.utf8)
  }

  private func datBlock(_ columns: Range<Int>) -> [UInt8] {
    let flags = bits == 8 ? 1 : 0
    let header = [
      2, flags, image.format.sampleRate.hertz, image.framesPerColumn.rawValue, columnCount,
      image.channels.count,
    ]
    return (columns.lowerBound == 0 ? header.flatMap { Self.bytes($0, count: 4) } : [])
      + values(of: columns).flatMap { Self.bytes($0, count: bits / 8) }
  }

  private static func bytes(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
