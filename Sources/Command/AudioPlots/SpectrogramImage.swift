public import AudioCore
import CKissFFT
import Glibc

/// A spectrogram of a few hundred columns, whatever the length of the audio.
public struct SpectrogramImage: Hashable, Sendable {
  /// The mapping of frequencies to rows.
  public enum Scale: String, Hashable, Sendable, CaseIterable {
    /// Linear in hertz.
    case linear
    /// The mel scale, which follows the perception of pitch and has more room for low frequencies.
    case mel

    /// Returns the frequency that is drawn at a height, given as a fraction of the image's height;
    /// `highest` is the frequency at the top, in hertz.
    func frequency(at part: Double, below highest: Double) -> Double {
      switch self {
      case .linear: part * highest
      case .mel: 700 * (pow(10, part * log10(1 + highest / 700)) - 1)
      }
    }

    /// Returns the height at which a frequency is drawn, as a fraction of the image's height.
    func part(of frequency: Double, below highest: Double) -> Double {
      switch self {
      case .linear: frequency / highest
      case .mel: log10(1 + frequency / 700) / log10(1 + highest / 700)
      }
    }
  }

  /// The sample rate and channels of the audio.
  public let format: AudioFormat
  /// The length of the audio.
  public let frameCount: FrameCount
  /// The mapping of frequencies to rows.
  public let scale: Scale
  /// The number of frames from one column to the next.
  public let framesPerColumn: FrameCount
  /// For each channel and column, the power of each row from the lowest frequency to half the rate;
  /// a full-scale sine has a power of 1.
  public let channels: [[[Float]]]

  /// The duration of the audio.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }
}

/// Computes the columns of one channel, and merges pairs of columns when there are too many.
///
/// It is an actor, so that channels are measured in parallel.
private actor ChannelSpectrogram {
  private let channel: Int
  private let channelCount: Int
  private let columnCount: Int
  private let length: Int
  private var hop: Int
  private let rows: [ClosedRange<Int>]
  private let spectrum: Spectrum
  /// The latest samples of all channels, too few for a window.
  private var pending: [Float]
  private(set) var columns: [[Float]] = []
  /// The number of spectra that a column averages.
  private var spectraPerColumn = 1
  /// The sum of the power spectra for the next column; `spectraInColumn` is their number.
  private var powers: [Float]
  private var spectraInColumn = 0

  init?(
    _ channel: Int, of format: AudioFormat, scale: SpectrogramImage.Scale, columnCount: Int,
    rowCount: Int
  ) {
    // A window lasts at least 25 ms (a power of two in samples): short enough for syllables, and
    // long enough for the lowest voices.
    var length = 256
    while length * 40 < format.sampleRate.hertz { length *= 2 }
    guard let spectrum = Spectrum(length: length) else { return nil }
    (self.channel, channelCount, self.columnCount) = (channel, format.channelCount, columnCount)
    (self.length, hop) = (length, length / 2)
    self.spectrum = spectrum
    powers = Array(repeating: 0, count: length / 2 + 1)
    // The first window is centered on the first frame, so its first half is silence.
    pending = Array(repeating: 0, count: length / 2 * channelCount)
    let highest = Double(length / 2)
    let nyquist = Double(format.sampleRate.hertz) / 2
    rows = (0..<rowCount).map { row in
      let edges = [row, row + 1].map { edge in
        let part = Double(edge) / Double(rowCount)
        return scale.frequency(at: part, below: nyquist) / nyquist * highest
      }
      let first = Int(clamping: edges[0])
      return first...max(first, Int(clamping: edges[1]) - 1)
    }
  }

  var framesPerColumn: Int { hop * spectraPerColumn }

  /// Makes each column twice as long.
  ///
  /// At first, windows overlap by half. Once a column averages several windows, they no longer
  /// overlap, because that saves time and hardly changes the average.
  private func lengthenColumns() {
    if spectraPerColumn == 4, hop < length { hop = length } else { spectraPerColumn *= 2 }
    columns = stride(from: 0, to: columns.count, by: 2).map { index in
      zip(columns[index], columns[index + 1]).map { ($0 + $1) / 2 }
    }
  }

  /// Measures interleaved samples without copying them, except for about one window.
  func add(_ samples: [Float]) {
    let pendingCount = pending.count
    pending += samples.prefix(length * channelCount)
    let begin = processWindows(pending, from: 0)
    guard begin >= pendingCount else { return pending.removeFirst(begin) }
    pending = Array(samples[processWindows(samples, from: begin - pendingCount)...])
  }

  /// Measures all whole windows, starting at an index, and returns the index of the next window.
  private func processWindows(_ samples: [Float], from index: Int) -> Int {
    let windowSize = length * channelCount
    var begin = index
    while begin + windowSize <= samples.count {
      // `lengthenColumns` changes `spectraPerColumn`, so it is called only between two columns.
      if spectraInColumn == 0, columns.count == 2 * columnCount { lengthenColumns() }
      spectrum.measure(samples, from: begin + channel, step: channelCount, addingTo: &powers)
      spectraInColumn += 1
      if spectraInColumn == spectraPerColumn { addColumn() }
      begin += hop * channelCount
    }
    return begin
  }

  /// Completes a column with the mean of its spectra.
  private func addColumn() {
    columns.append(Self.means(of: rows, in: powers, divisor: spectraInColumn))
    powers = Array(repeating: 0, count: powers.count)
    spectraInColumn = 0
  }

  // This function is static, because a closure in a method of an actor would check the isolation at
  // each call.
  private static func means(
    of rows: [ClosedRange<Int>], in powers: [Float], divisor: Int
  ) -> [Float] {
    rows.map { bins in powers[bins].reduce(0, +) / Float(bins.count * divisor) }
  }

  /// Measures the remaining samples.
  func finish() {
    let missing = length * channelCount - pending.count
    // Silence fills the rest of the last window.
    if columns.isEmpty || missing < pending.count {
      _ = processWindows(pending + repeatElement(0, count: missing), from: 0)
    }
    if spectraInColumn > 0 { addColumn() }
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Returns the spectrogram of the whole audio; nil if there is no audio.
  ///
  /// It has from `columnCount` to twice `columnCount` columns, or fewer for short audio. A gap
  /// between the frame indices of two buffers is not drawn.
  ///
  /// - Parameters:
  ///   - scale: the mapping of frequencies to rows.
  ///   - columnCount: the minimum number of columns, above 0.
  ///   - rowCount: the number of frequencies, above 0.
  /// - Throws: the errors of this sequence; `PlotError`.
  public func spectrogramImage(
    _ scale: SpectrogramImage.Scale, columnCount: Int, rowCount: Int
  ) async throws -> SpectrogramImage? {
    var iterator = makeAsyncIterator()
    var second = try await Self.nextSecond(&iterator)
    guard let format = second?.format else { return nil }
    let channels = (0..<format.channelCount).compactMap {
      ChannelSpectrogram(
        $0, of: format, scale: scale, columnCount: columnCount, rowCount: rowCount)
    }
    guard channels.count == format.channelCount else {
      throw PlotError.drawing(reason: "no memory")
    }
    var frameCount: FrameCount = 0
    while let audio = second {
      frameCount += audio.frameCount
      second = try await withThrowingTaskGroup { group in
        for channel in channels { group.addTask { await channel.add(audio.samples) } }
        // The next second is decoded while the tasks compute the spectra of the current second.
        return try await Self.nextSecond(&iterator, like: format)
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

  /// Returns at least a second of audio, or the rest; nil at the end.
  private static func nextSecond(
    _ iterator: inout AsyncIterator, like format: AudioFormat? = nil
  ) async throws -> AudioBuffer? {
    var (format, samples): (AudioFormat?, [Float]) = (format, [])
    while var buffer = try await iterator.next()?.buffer {
      guard !buffer.isEmpty else { continue }
      let expected = format ?? buffer.format
      guard buffer.format == expected else {
        throw PlotError.formatChanged(expected: expected, actual: buffer.format)
      }
      _ = buffer.silenceNonFinite()
      format = expected
      // The first buffer is assigned, not appended, so a long buffer is not copied.
      if samples.isEmpty { samples = buffer.samples } else { samples += buffer.samples }
      if samples.count >= expected.sampleRate.hertz * expected.channelCount { break }
    }
    guard let format, !samples.isEmpty else { return nil }
    return AudioBuffer(format: format, samples: samples)
  }
}

/// The power spectrum of one window of samples.
///
/// It uses kissfft, which has a BSD license, because FFTW is under the GPL.
struct Spectrum: ~Copyable {
  private let length: Int
  private let setup: kiss_fftr_cfg
  // Pointers avoid the bounds checks of arrays, which would cost 10 percent more time.
  private let window: UnsafeMutablePointer<Float>
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<kiss_fft_cpx>

  /// - Parameter length: the number of samples in a window, a power of two.
  init?(length: Int) {
    guard let setup = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { return nil }
    (self.length, self.setup) = (length, setup)
    window = .allocate(capacity: length)
    input = .allocate(capacity: length)
    output = .allocate(capacity: length / 2 + 1)
    // The factor 4 makes up for two halvings: a Hann window halves amplitudes, and half of a sine
    // is in the negative frequencies.
    let scale = 4 / Double(length)
    for index in 0..<length {
      window[index] = Float(scale * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(length))))
    }
  }

  deinit {
    // Swift cannot import C's `kiss_fftr_free`, which is a macro for `free`.
    free(UnsafeMutableRawPointer(setup))
    window.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Adds the power of each frequency of a window; a full-scale sine has a power of 1.
  ///
  /// The corresponding C function is `kiss_fftr`.
  ///
  /// - Parameters:
  ///   - samples: interleaved samples.
  ///   - first: the index of the window's first sample.
  ///   - step: the distance between the indices of consecutive samples of the window.
  ///   - powers: the sums to add to: one for each of the window's `length / 2 + 1` frequencies.
  func measure(_ samples: [Float], from first: Int, step: Int, addingTo powers: inout [Float]) {
    precondition(first >= 0 && step > 0 && first + (length - 1) * step < samples.count)
    precondition(powers.count == length / 2 + 1)
    samples.withUnsafeBufferPointer { samples in
      let source = samples.baseAddress! + first
      // The calls are separate, because the compiler vectorizes only loops with a constant step.
      switch step {
      case 1: load(source, step: 1)
      case 2: load(source, step: 2)
      default: load(source, step: step)
      }
    }
    kiss_fftr(setup, input, output)
    powers.withUnsafeMutableBufferPointer { powers in
      for (index, bin) in UnsafeBufferPointer(start: output, count: length / 2 + 1).enumerated() {
        powers[index] += bin.r * bin.r + bin.i * bin.i
      }
    }
  }

  @inline(__always)
  private func load(_ samples: UnsafePointer<Float>, step: Int) {
    for index in 0..<length { input[index] = samples[index * step] * window[index] }
  }
}
