import AudioCore
import AudioPlots
import Foundation
import TestTools
import Testing

private let stereo = AudioFormat(sampleRate: 8_000, channelCount: 2)

private func stream(_ buffer: AudioBuffer) -> AsyncStream<AudioBuffer> {
  AsyncStream { continuation in
    var begin: FrameCount = 0
    while begin < buffer.frameCount {
      let end = min(begin + 777, buffer.frameCount)
      continuation.yield(buffer.frames(begin..<end))
      begin = end
    }
    continuation.finish()
  }
}

@Suite struct WaveformTests {
  @Test(arguments: [80, 7_999, 100_000] as [FrameCount])
  func `the columns cover all audio, and their number does not depend on the audio's length`(
    length: FrameCount
  ) async throws {
    let signal = AudioSignal { frame, _ in frame == length.rawValue - 1 ? -1 : 0.5 }
    let image = try #require(
      try await stream(signal.buffer(length, format: stereo)).waveformImage(columnCount: 50))
    #expect(image.channels.count == 2 && image.frameCount == length)
    let columns = image.channels[0]
    #expect((50...100).contains(columns.count))
    #expect(columns.count == (length.rawValue - 1) / image.framesPerColumn.rawValue + 1)
    #expect(columns.dropLast().allSatisfy { $0.lowest == 0.5 && $0.highest == 0.5 })
    #expect(columns.dropLast().allSatisfy { abs($0.rms - 0.5) < 0.001 })
    #expect(columns.last?.lowest == -1)
  }

  @Test func `empty audio has no image`() async throws {
    let none = stream(AudioBuffer(silence: 0, format: stereo))
    #expect(try await none.waveformImage(columnCount: 50) == nil)
    #expect(try await none.spectrogramImage(.mel, columnCount: 50, rowCount: 10) == nil)
  }

  @Test func `JSON and binary peaks match the formats of audiowaveform`() async throws {
    let buffer = AudioBuffer(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), samples: [0, 0.5, -0.5, 1, -1])
    let image = try #require(
      try await stream(buffer).waveformImage(framesPerColumn: 2))
    #expect(
      String(decoding: Array(PeakData(image, bits: 16).json.joined()), as: UTF8.self)
        == "{\"version\":2,\"channels\":1,\"sample_rate\":8000,\"samples_per_pixel\":2,\"bits\":16,"
        + "\"length\":3,\"data\":[0,16384,-16384,32767,-32768,-32768]}\n")
    let dat = Array(PeakData(image, bits: 8).dat.joined())
    #expect(
      dat.prefix(24) == [2, 0, 0, 0, 1, 0, 0, 0, 64, 31, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0])
    #expect(dat.dropFirst(24) == [0, 64, 192, 127, 128, 128])
  }

  @Test func `the joined blocks of peak data are one valid file`() async throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let buffer = AudioBuffer(silence: 20_000, format: format)
    let peaks = PeakData(
      try #require(try await stream(buffer).waveformImage(framesPerColumn: 2)), bits: 8)
    #expect(Array(peaks.json).count > 1)
    let text = String(decoding: Array(peaks.json.joined()), as: UTF8.self)
    let zeros = Array(repeating: "0", count: 20_000).joined(separator: ",")
    #expect(text.hasSuffix("\"length\":10000,\"data\":[\(zeros)]}\n"))
    #expect(Array(peaks.dat.joined()).count == 24 + 20_000)
  }

  @Test func `a loud channel fills its Braille rows, and a silent channel is a line`() async throws
  {
    let loud = AudioSignal { frame, _ in frame.isMultiple(of: 2) ? 1 : -1 }
    let image = try #require(
      try await stream(loud.buffer(8_000, format: .speech)).waveformImage(columnCount: 40))
    #expect(
      image.braille(columns: 10, rows: 2)
        == Array(repeating: String(repeating: "⣿", count: 10), count: 2))
    let silence = try #require(
      try await stream(AudioBuffer(silence: 8_000, format: .speech)).waveformImage(columnCount: 40))
    let lines = silence.braille(columns: 10, rows: 2)
    #expect(lines.count == 2 && !lines.joined().contains("⣿"))
    #expect(lines.joined().contains { $0 != "\u{2800}" })
  }

  @Test func `the RMS of a column of 20 million frames is exact`() async throws {
    let (format, count) = (AudioFormat(sampleRate: 48_000, channelCount: 1), 20)
    let million = AudioBuffer(format: format, samples: Array(repeating: 1, count: 1_000_000))
    let buffers = AsyncStream { stream in
      for _ in 0..<count { stream.yield(million) }
      stream.finish()
    }
    let image = try #require(try await buffers.waveformImage(framesPerColumn: 20_000_000))
    let columns = image.channels[0]
    #expect(columns.count == 1 && columns[0].lowest == 1 && columns[0].rms == 1)
  }
}

@Suite struct SpectrogramTests {
  @Test(arguments: SpectrogramImage.Scale.allCases)
  func `a sine is loudest in the row of its frequency, at its level`(
    scale: SpectrogramImage.Scale
  ) async throws {
    let rows = 40
    let signal = AudioSignal.sine(1_000, amplitude: 1).buffer(.seconds(20), format: .speech)
    let image = try #require(
      try await stream(signal).spectrogramImage(scale, columnCount: 30, rowCount: rows))
    let columns = image.channels[0]
    #expect((30...60).contains(columns.count))
    // 1 kHz is an eighth of the linear scale to 8 kHz; on the mel scale, it is 1,000 of 2,840 mel.
    let expected = scale == .linear ? rows / 8 : rows * 1_000 / 2_840
    for column in columns.dropLast() {
      let loudest = column.indices.max { column[$0] < column[$1] } ?? -1
      #expect(abs(loudest - expected) <= 1)
      #expect(column[rows - 1] < 1e-6)
    }
    let highest = columns[3].max() ?? 0
    #expect(highest > 0.1 && highest < 1.1)
  }

  @Test(
    arguments: [(8_000, 256), (16_000, 512), (44_100, 2_048)] as [(SampleRate, Int)],
    [2, 3, 5, 7, 40, 500])
  func `a full-scale sine has a power of 1 however many windows a column averages`(
    rate: (hertz: SampleRate, window: Int), windows: Int
  ) async throws {
    // An eighth of the rate is the center of a bin, and each row is one bin.
    let sine = AudioSignal.sine(Double(rate.hertz.hertz) / 8, amplitude: 1)
    let length = windows * rate.window
    let buffer = AudioBuffer(
      format: AudioFormat(sampleRate: rate.hertz, channelCount: 2),
      samples: (0..<length).flatMap { [sine.sample(at: FrameCount($0), rate: rate.hertz), 0] })
    let image = try #require(
      try await stream(buffer).spectrogramImage(
        .linear, columnCount: 10, rowCount: rate.window / 2))
    let (bin, columns) = (rate.window / 8, image.channels[0])
    #expect(windows > 10 || columns.count == 2 * windows)
    for column in columns.dropFirst().dropLast() {
      #expect(abs(column[bin] - 1) < 1e-3)
      // A Hann window spreads a quarter of the power to each neighboring bin.
      #expect(abs(column[bin - 1] - 0.25) < 1e-3 && abs(column[bin + 1] - 0.25) < 1e-3)
      #expect(column[..<(bin - 1)].allSatisfy { $0 < 1e-6 })
      #expect(column[(bin + 2)...].allSatisfy { $0 < 1e-6 })
    }
    #expect(image.channels[1].allSatisfy { $0.allSatisfy { $0 == 0 } })
  }
}

@Suite struct DrawingTests {
  @Test func `plot data begins with the signature of its format`() async throws {
    let buffer = AudioSignal.chirp(from: 100, to: 3_000, over: .seconds(2)).buffer(
      .seconds(2), format: stereo)
    let waveform = try #require(try await stream(buffer).waveformImage(columnCount: 300))
    let spectrogram = try #require(
      try await stream(buffer).spectrogramImage(.linear, columnCount: 200, rowCount: 64))
    let frame = PlotFrame(
      width: 300, height: 200, title: "Chirp", cues: [.init(.seconds(0)..<(.seconds(1)), "up")])
    let starts: [PlotFormat: String] = [.png: "PNG", .svg: "<?xml", .pdf: "%PDF"]
    for (format, start) in starts {
      for data in [try waveform.data(as: format, frame), try spectrogram.data(as: format, frame)] {
        #expect(String(decoding: data.prefix(8), as: UTF8.self).contains(start))
      }
    }
  }

  @Test func `FFmpeg reads the pixels of a PNG`() async throws {
    let noise = AudioSignal.noise(seed: 3).buffer(.seconds(2), format: stereo)
    let image = try #require(
      try await stream(noise).spectrogramImage(.linear, columnCount: 400, rowCount: 128))
    let (folder, frame) = (try TestFolder(), PlotFrame(width: 500, height: 300, title: "Noise"))
    try Data(image.data(as: .png, frame)).write(to: folder.file("noise.png"))
    let pixels = try Tool.ffmpeg(
      "-i", folder.file("noise.png").path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    let bitmap = try image.bitmap(frame)
    let colors = (0..<bitmap.height).flatMap { row in
      (0..<bitmap.width).map { bitmap.color(column: $0, row: row) }
    }
    #expect(Array(pixels) == colors.flatMap { [$0.red, $0.green, $0.blue] })
  }

  @Test func `sound is drawn in blue and clipping in red`() async throws {
    let signal = AudioSignal { frame, _ in frame < 4_000 ? 0 : frame == 6_000 ? 1 : 0.5 }
    let image = try #require(
      try await stream(signal.buffer(8_000, format: .speech)).waveformImage(columnCount: 400))
    let bitmap = try image.bitmap(PlotFrame(width: 400, height: 200))
    func count(_ columns: Range<Int>, _ matches: (UInt8, UInt8, UInt8) -> Bool) -> Int {
      columns.reduce(0) { sum, column in
        sum
          + (0..<bitmap.height).count {
            let color = bitmap.color(column: column, row: $0)
            return matches(color.red, color.green, color.blue)
          }
      }
    }
    let isBlue = { (red: UInt8, green: UInt8, blue: UInt8) in blue > 150 && red < 140 }
    let isRed = { (red: UInt8, green: UInt8, blue: UInt8) in red > 180 && blue < 120 }
    #expect(count(60..<200, isBlue) < count(240..<380, isBlue) / 10)
    #expect(count(0..<400, isRed) > 0 && count(0..<200, isRed) == 0)
  }

  @Test(arguments: [1, 2, 5, 64])
  func `each channel of a plot has a lane above the time axis, at any height`(
    channelCount: Int
  ) async throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: channelCount)
    let loud = AudioSignal { frame, _ in frame.isMultiple(of: 2) ? 0.9 : -0.9 }
    let image = try #require(
      try await stream(loud.buffer(8_000, format: format)).waveformImage(columnCount: 400))
    var frame = PlotFrame(width: 400, height: 400)
    for height in [frame.roomyHeight(channelCount: channelCount), 400] {
      frame.height = height
      let bitmap = try image.bitmap(frame)
      let isBlue = (0..<height).map { row in
        let color = bitmap.color(column: 200, row: row)
        // The axis does not count as blue, because its gray is darker.
        return color.blue > 160 && color.red < 140
      }
      #expect(isBlue.indices.count { isBlue[$0] && !isBlue[$0 - 1] } == channelCount)
      // The time axis takes the last 26 rows.
      #expect(!isBlue.suffix(26).contains(true))
    }
  }

  @Test(arguments: [(Int.min, 100), (0, 100), (1, 100), (64, 2_078), (512, 16_384), (.max, 16_384)])
  func `roomyHeight stays between 100 and 16,384 pixels for any number of channels`(
    channelCount: Int, height: Int
  ) {
    #expect(PlotFrame().roomyHeight(channelCount: channelCount) == height)
  }

  @Test func `the lanes of 64 channels never draw over the time axis`() async throws {
    let buffers = [1, 64].map { channelCount in
      AudioSignal { frame, _ in frame.isMultiple(of: 2) ? 1 : -1 }
        .buffer(8_000, format: AudioFormat(sampleRate: 8_000, channelCount: channelCount))
    }
    let frame = PlotFrame(width: 300, height: 100)
    var axes: [[[UInt8]]] = []
    for buffer in buffers {
      let bitmaps = [
        try await stream(buffer).waveformImage(columnCount: 300)?.bitmap(frame),
        try await stream(buffer).spectrogramImage(.linear, columnCount: 150, rowCount: 32)?
          .bitmap(frame),
      ]
      for bitmap in bitmaps {
        let bitmap = try #require(bitmap)
        // The region below the axis line, to the right of the labels of the lanes.
        axes.append(
          (76..<100).flatMap { row in
            (50..<300).map { column in
              let color = bitmap.color(column: column, row: row)
              return [color.red, color.green, color.blue]
            }
          })
      }
    }
    #expect(axes[0] == axes[2] && axes[1] == axes[3])
    #expect(Set(axes[0]).count > 1)
  }

  @Test func `a sixel picture has one band per six rows`() async throws {
    let image = try #require(
      try await stream(AudioBuffer(silence: 8_000, format: .speech)).waveformImage(columnCount: 40))
    let sixel = try image.bitmap(PlotFrame(width: 200, height: 100)).sixel
    #expect(sixel.hasPrefix("\u{1B}Pq\"1;1;200;100#0;2;0;0;0") && sixel.hasSuffix("\u{1B}\\"))
    #expect(sixel.count { $0 == "-" } == 17)
  }
}
