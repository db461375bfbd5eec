public import AudioCore
import Glibc

/// The frequencies of a stretch of audio over time, in some hundreds of columns.
///
/// Its size does not depend on the length of the audio.
public struct SpectrogramImage: Hashable, Sendable {
  /// How frequencies are spread over the rows.
  public enum Scale: String, Hashable, Sendable, CaseIterable {
    /// Evenly, in hertz.
    case linear
    /// As people perceive pitch: the mel scale, more room for low frequencies.
    case mel

    /// The frequency at a part of the height, 0 to 1, below a highest frequency in hertz.
    func frequency(at part: Double, below highest: Double) -> Double {
      switch self {
      case .linear: part * highest
      case .mel: 700 * (pow(10, part * log10(1 + highest / 700)) - 1)
      }
    }

    /// The part of the height, 0 to 1, of a frequency.
    func part(of frequency: Double, below highest: Double) -> Double {
      switch self {
      case .linear: frequency / highest
      case .mel: log10(1 + frequency / 700) / log10(1 + highest / 700)
      }
    }
  }

  /// Rate and channels of the audio.
  public let format: AudioFormat
  /// The length of the audio.
  public let frameCount: FrameCount
  /// How frequencies are spread over the rows.
  public let scale: Scale
  /// The frames from one column to the next.
  public let framesPerColumn: FrameCount
  /// For each channel and column, the power of each row from the lowest frequency to half the rate;
  /// a sine at full scale has 1.
  public let channels: [[[Float]]]

  /// How long the audio lasts.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }
}

/// Turns one channel into columns; they are averaged when there are too many.
///
/// An actor, so that channels are measured at the same time.
private actor ChannelSpectrogram {
  private let channel: Int
  private let columnCount: Int
  private let length: Int
  private var hop: Int
  private let rows: [ClosedRange<Int>]
  private var spectrum: Spectrum
  private var powers: [Float]
  /// The samples that are not in a whole window yet.
  private var pending: [Float]
  private(set) var columns: [[Float]] = []
  /// The spectra that a column averages, and those in the last column.
  private var spectraPerColumn = 1
  private var spectraInColumn = 0

  init?(
    _ channel: Int, of format: AudioFormat, scale: SpectrogramImage.Scale, columnCount: Int,
    rowCount: Int
  ) {
    // 20 to 50 ms: short enough for syllables, long enough for the lowest voices.
    var length = 256
    while length * 40 < format.sampleRate.hertz { length *= 2 }
    guard let spectrum = Spectrum(length: length) else { return nil }
    (self.channel, self.columnCount) = (channel, columnCount)
    (self.length, hop) = (length, length / 2)
    self.spectrum = spectrum
    powers = Array(repeating: 0, count: length / 2 + 1)
    // The first window begins half a window early, in silence.
    pending = Array(repeating: 0, count: length / 2)
    let highest = Double(length / 2)
    let nyquist = Double(format.sampleRate.hertz) / 2
    rows = (0..<rowCount).map { row in
      let edges = [row, row + 1].map { edge in
        let part = Double(edge) / Double(rowCount)
        return scale.frequency(at: part, below: nyquist) / nyquist * highest
      }
      let first = Int(edges[0].rounded())
      return first...max(first, Int(edges[1].rounded()) - 1)
    }
  }

  var framesPerColumn: Int { hop * spectraPerColumn }

  /// Windows overlap by half, unless a column averages so many that overlap is unnecessary.
  private func lengthenColumns() {
    if spectraPerColumn == 4, hop < length { hop = length } else { spectraPerColumn *= 2 }
    columns = stride(from: 0, to: columns.count - 1, by: 2).map { index in
      zip(columns[index], columns[index + 1]).map { ($0 + $1) / 2 }
    }
  }

  func add(_ buffers: [AudioBuffer]) {
    for buffer in buffers {
      pending += buffer.format.channelCount == 1 ? buffer.samples : buffer.channel(channel)
    }
    takeWindows()
  }

  /// Takes all whole windows.
  private func takeWindows() {
    var begin = 0
    while begin + length <= pending.count {
      beginSpectrum()
      spectrum.measure(pending[begin..<begin + length], into: &powers)
      addPowers()
      begin += hop
    }
    pending.removeFirst(begin)
  }

  private func beginSpectrum() {
    spectraInColumn %= spectraPerColumn
    if spectraInColumn == 0 {
      if columns.count >= 2 * columnCount { lengthenColumns() }
      columns.append(Array(repeating: 0, count: rows.count))
    }
    spectraInColumn += 1
  }

  private func addPowers() {
    var column = columns.removeLast()
    for (row, bins) in rows.enumerated() {
      var sum: Float = 0
      for bin in bins { sum += powers[bin] }
      column[row] += sum / Float(bins.count * spectraPerColumn)
    }
    columns.append(column)
  }

  /// Measures what is left.
  func finish() {
    // The last window is filled up with silence.
    if columns.isEmpty || pending.count > length / 2 {
      pending += Array(repeating: 0, count: length - pending.count)
      takeWindows()
    }
    // The last column has fewer spectra than the others.
    let missing = Float(spectraPerColumn) / Float(max(1, spectraInColumn))
    columns.append(columns.removeLast().map { $0 * missing })
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The spectrogram of all of the audio; nil if there is none.
  ///
  /// It has `columnCount` to twice as many columns, or fewer where there is less audio. Gaps in the
  /// indices are not shown.
  ///
  /// - Parameters:
  ///   - scale: how frequencies are spread over the rows.
  ///   - columnCount: above 0.
  ///   - rowCount: the number of frequencies, above 0.
  /// - Throws: the errors of this sequence; `PlotError`.
  public func spectrogramImage(
    _ scale: SpectrogramImage.Scale, columnCount: Int, rowCount: Int
  ) async throws -> SpectrogramImage? {
    var iterator = makeAsyncIterator()
    var next = try await iterator.next()
    while let buffer = next, buffer.isEmpty { next = try await iterator.next() }
    guard let format = next?.format else { return nil }
    let channels = (0..<format.channelCount).compactMap {
      ChannelSpectrogram(
        $0, of: format, scale: scale, columnCount: columnCount, rowCount: rowCount)
    }
    guard channels.count == format.channelCount else {
      throw PlotError.drawing(reason: "no memory")
    }
    var frameCount: FrameCount = 0
    while next != nil {
      // The channels meet once in a second of audio.
      var (buffers, count): ([AudioBuffer], FrameCount) = ([], 0)
      while var buffer = next, count.rawValue < format.sampleRate.hertz {
        guard buffer.format == format else {
          throw PlotError.formatChanged(expected: format, actual: buffer.format)
        }
        _ = buffer.silenceNonFinite()
        count += buffer.frameCount
        buffers.append(buffer)
        next = try await iterator.next()
      }
      frameCount += count
      await withTaskGroup { [buffers] group in
        for channel in channels { group.addTask { await channel.add(buffers) } }
      }
    }
    var columns: [[[Float]]] = []
    for channel in channels {
      await channel.finish()
      columns.append(await channel.columns)
    }
    return SpectrogramImage(
      format: format, frameCount: frameCount, scale: scale,
      framesPerColumn: FrameCount(await channels[0].framesPerColumn), channels: columns)
  }
}
