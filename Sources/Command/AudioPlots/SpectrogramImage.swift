public import AudioCore
import CKissFFT
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
  private let channelCount: Int
  private let columnCount: Int
  private let length: Int
  private var hop: Int
  private let rows: [ClosedRange<Int>]
  private let spectrum: Spectrum
  /// The samples of all channels that are not in a whole window yet.
  private var pending: [Float]
  private(set) var columns: [[Float]] = []
  /// The spectra that a column averages.
  private var spectraPerColumn = 1
  /// The sum of the spectra of the next column, and their number.
  private var powers: [Float]
  private var spectraInColumn = 0

  init?(
    _ channel: Int, of format: AudioFormat, scale: SpectrogramImage.Scale, columnCount: Int,
    rowCount: Int
  ) {
    // 20 to 50 ms: short enough for syllables, long enough for the lowest voices.
    var length = 256
    while length * 40 < format.sampleRate.hertz { length *= 2 }
    guard let spectrum = Spectrum(length: length) else { return nil }
    (self.channel, channelCount, self.columnCount) = (channel, format.channelCount, columnCount)
    (self.length, hop) = (length, length / 2)
    self.spectrum = spectrum
    powers = Array(repeating: 0, count: length / 2 + 1)
    // The first window begins half a window early, in silence.
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

  /// Windows overlap by half, unless a column averages so many that overlap is unnecessary.
  private func lengthenColumns() {
    if spectraPerColumn == 4, hop < length { hop = length } else { spectraPerColumn *= 2 }
    columns = stride(from: 0, to: columns.count, by: 2).map { index in
      zip(columns[index], columns[index + 1]).map { ($0 + $1) / 2 }
    }
  }

  /// Measures interleaved samples where they are: only a window's length of them is copied.
  func add(_ samples: [Float]) {
    let pendingCount = pending.count
    pending += samples.prefix(length * channelCount)
    let begin = takeWindows(pending, from: 0)
    guard begin >= pendingCount else { return pending.removeFirst(begin) }
    pending = Array(samples[takeWindows(samples, from: begin - pendingCount)...])
  }

  /// Takes all whole windows from an index on, and returns the index of the next one.
  private func takeWindows(_ samples: [Float], from index: Int) -> Int {
    let windowSize = length * channelCount
    var begin = index
    while begin + windowSize <= samples.count {
      // Before the first spectrum of a column, because it changes the number of spectra.
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

  // Static, because a closure of an actor checks at each call that it runs on the actor.
  private static func means(
    of rows: [ClosedRange<Int>], in powers: [Float], divisor: Int
  ) -> [Float] {
    rows.map { bins in powers[bins].reduce(0, +) / Float(bins.count * divisor) }
  }

  /// Measures what is left.
  func finish() {
    let missing = length * channelCount - pending.count
    // The last window is filled up with silence.
    if columns.isEmpty || missing < pending.count {
      _ = takeWindows(pending + repeatElement(0, count: missing), from: 0)
    }
    if spectraInColumn > 0 { addColumn() }
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
        // The next second is decoded while the channels measure this one.
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

  /// At least a second of audio, or the rest; nil at the end.
  private static func nextSecond(
    _ iterator: inout AsyncIterator, like format: AudioFormat? = nil
  ) async throws -> AudioBuffer? {
    var (format, samples): (AudioFormat?, [Float]) = (format, [])
    while var buffer = try await iterator.next() {
      guard !buffer.isEmpty else { continue }
      let expected = format ?? buffer.format
      guard buffer.format == expected else {
        throw PlotError.formatChanged(expected: expected, actual: buffer.format)
      }
      _ = buffer.silenceNonFinite()
      format = expected
      // A long buffer is not copied.
      if samples.isEmpty { samples = buffer.samples } else { samples += buffer.samples }
      if samples.count >= expected.sampleRate.hertz * expected.channelCount { break }
    }
    guard let format, !samples.isEmpty else { return nil }
    return AudioBuffer(format: format, samples: samples)
  }
}

/// The power spectrum of one window of samples, by kissfft, because its license is BSD and FFTW's
/// is GPL.
struct Spectrum: ~Copyable {
  private let length: Int
  private let setup: kiss_fftr_cfg
  // Pointers, because a window takes a tenth longer with the bounds checks of arrays.
  private let window: UnsafeMutablePointer<Float>
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<kiss_fft_cpx>

  /// - Parameter length: the samples of a window, a power of two.
  init?(length: Int) {
    guard let setup = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { return nil }
    (self.length, self.setup) = (length, setup)
    window = .allocate(capacity: length)
    input = .allocate(capacity: length)
    output = .allocate(capacity: length / 2 + 1)
    // A Hann window halves amplitudes, and the other half of a sine is in the negative frequencies.
    let scale = 4 / Double(length)
    for index in 0..<length {
      window[index] = Float(scale * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(length))))
    }
  }

  deinit {
    // In C, `kiss_fftr_free` is a macro for this.
    free(UnsafeMutableRawPointer(setup))
    window.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Adds the power of each frequency of a window, where a sine at full scale has 1.
  ///
  /// The corresponding C function is `kiss_fftr`.
  ///
  /// - Parameters:
  ///   - samples: interleaved samples.
  ///   - first: the index of the window's first sample.
  ///   - step: the indices from one sample of the window to the next.
  ///   - powers: the sums of half a window's length of frequencies, and one more.
  func measure(_ samples: [Float], from first: Int, step: Int, addingTo powers: inout [Float]) {
    precondition(first >= 0 && step > 0 && first + (length - 1) * step < samples.count)
    precondition(powers.count == length / 2 + 1)
    samples.withUnsafeBufferPointer { samples in
      let source = samples.baseAddress! + first
      // The compiler vectorizes a loop whose step it knows.
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
