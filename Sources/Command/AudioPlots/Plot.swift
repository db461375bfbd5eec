import AudioCore

/// The size, title, and cues of a plot.
public struct PlotFrame: Hashable, Sendable {
  /// A text below the plot, for a range of time.
  public struct Cue: Hashable, Sendable {
    /// The start and end of the cue.
    public var time: Range<Duration>
    /// The text of the cue.
    public var text: String

    /// Creates a cue for a range of time.
    public init(_ time: Range<Duration>, _ text: String) {
      (self.time, self.text) = (time, text)
    }
  }

  /// The width in pixels, at least 200.
  public var width: Int
  /// The height in pixels, at least 100.
  ///
  /// The lanes of the channels share this height.
  public var height: Int
  /// The text above the plot.
  public var title: String
  /// Texts below the plot, such as those of a transcript.
  public var cues: [Cue]

  /// Creates a frame; sizes out of range are clamped.
  public init(width: Int = 1_200, height: Int = 400, title: String = "", cues: [Cue] = []) {
    (self.width, self.height) = (max(200, min(width, 16_384)), max(100, min(height, 16_384)))
    (self.title, self.cues) = (title, cues)
  }

  /// Returns the height, from 100 to 16,384 pixels, at which each channel's lane has at least 24
  /// pixels: enough for its name and axis.
  public func roomyHeight(channelCount: Int) -> Int {
    // The height is clamped before the conversion, because `Int` traps on numbers out of range.
    Int(max(100, min(PlotLayout.height(of: self, laneCount: channelCount), 16_384)))
  }
}

extension WaveformImage {
  /// Returns the waveform as a file, with a lane for each channel, an axis in dBFS, a time axis,
  /// and cues.
  ///
  /// - Throws: `PlotError.drawing`.
  public func data(as format: PlotFormat, _ frame: PlotFrame) throws(PlotError) -> [UInt8] {
    let canvas = try Canvas(format, width: frame.width, height: frame.height)
    draw(on: canvas, frame)
    return try canvas.data()
  }

  /// Returns the plot as pixels.
  ///
  /// - Throws: `PlotError.drawing`.
  public func bitmap(_ frame: PlotFrame) throws(PlotError) -> Bitmap {
    let canvas = try Canvas(.png, width: frame.width, height: frame.height)
    draw(on: canvas, frame)
    return canvas.pixels()
  }

  private func draw(on canvas: borrowing Canvas, _ frame: PlotFrame) {
    let layout = PlotLayout(canvas.width, canvas.height, frame, laneCount: channels.count)
    layout.drawFrame(on: canvas, frame, format, duration)
    for (channel, columns) in channels.enumerated() {
      let lane = layout.lane(channel)
      drawGrid(on: canvas, lane)
      let middle = lane.y + lane.height / 2
      let points = Self.points(columns, lane.width, count: audibleColumnCount)
      let y = { (sample: Float) in
        middle - Double(max(-1, min(sample, 1))) * lane.height / 2
      }
      // The area is at least 0.7 pixels high, so a constant level is visible as a line.
      let bottom = lane.y + lane.height
      canvas.area(
        .wave,
        points.map { point in
          let high = min(y(point.highest), bottom - 0.7)
          return (lane.x + point.x, max(y(point.lowest), high + 0.7), high)
        })
      canvas.area(.core, points.map { (lane.x + $0.x, y(-$0.rms), y($0.rms)) })
      for point in points where max(point.highest, -point.lowest) >= AudioLevel.clippingAmplitude {
        canvas.fill(
          .clip, x: lane.x + point.x - 0.5, y: lane.y, width: 1.5, height: min(4, lane.height / 4))
      }
    }
    layout.drawLaneNames(on: canvas, format)
  }

  /// The number of columns that the audio fills; a partly filled last column counts as a fraction.
  private var audibleColumnCount: Double {
    Double(frameCount.rawValue) / Double(max(1, framesPerColumn.rawValue))
  }

  private typealias Point = (x: Double, lowest: Float, highest: Float, rms: Float)

  /// Returns a point for each pixel, or for each column if there are fewer columns than pixels.
  private static func points(_ columns: [Column], _ width: Double, count: Double) -> [Point] {
    let pixels = min(Int(width), columns.count)
    guard pixels > 0 else { return [] }
    return (0..<pixels).map { pixel in
      let first = pixel * columns.count / pixels
      let last = max(first + 1, (pixel + 1) * columns.count / pixels)
      let group = columns[first..<last]
      let squares = group.reduce(0) { $0 + $1.rms * $1.rms } / Float(group.count)
      let x = (Double(first + last) / 2) / max(1, count) * width
      return (
        min(x, width), group.map(\.lowest).min() ?? 0, group.map(\.highest).max() ?? 0,
        squares.squareRoot()
      )
    }
  }

  private func drawGrid(on canvas: borrowing Canvas, _ lane: PlotLayout.Area) {
    let middle = lane.y + lane.height / 2
    canvas.line(.grid, from: (lane.x, middle), to: (lane.x + lane.width, middle))
    guard lane.hasRoomForText else { return }
    canvas.text("-inf", x: lane.x - 6, y: middle + 4, anchor: 1, size: 10, color: .faint)
    for level in [0.0, -6, -12] {
      let distance = Decibels(level).amplitude * lane.height / 2
      // A lane of little height has room only for 0 dB, or for 0 and -6 dB.
      if level < 0, lane.height < 110 || level < -6 && lane.height < 160 { continue }
      for y in [middle - distance, middle + distance] {
        canvas.line(.grid, from: (lane.x, y), to: (lane.x + lane.width, y))
        canvas.text("\(Int(level))", x: lane.x - 6, y: y + 4, anchor: 1, size: 10, color: .faint)
      }
    }
  }
}

extension SpectrogramImage {
  /// The level in decibels that has the darkest color.
  private static let lowest = -100.0
  /// The level in decibels that has the brightest color.
  private static let highest = 0.0

  /// Returns the spectrogram as a file, with a lane for each channel, axes in hertz and seconds, a
  /// scale of levels, and cues.
  ///
  /// - Throws: `PlotError.drawing`.
  public func data(as format: PlotFormat, _ frame: PlotFrame) throws(PlotError) -> [UInt8] {
    let canvas = try Canvas(format, width: frame.width, height: frame.height)
    draw(on: canvas, frame)
    return try canvas.data()
  }

  /// Returns the plot as pixels.
  ///
  /// - Throws: `PlotError.drawing`.
  public func bitmap(_ frame: PlotFrame) throws(PlotError) -> Bitmap {
    let canvas = try Canvas(.png, width: frame.width, height: frame.height)
    draw(on: canvas, frame)
    return canvas.pixels()
  }

  /// Returns the level of a power as a fraction of the color scale, 0 to 1.
  static func part(of power: Float) -> Double {
    let level = Decibels(amplitude: Double(power)).value / 2
    return max(0, min((level - lowest) / (highest - lowest), 1))
  }

  private func draw(on canvas: borrowing Canvas, _ frame: PlotFrame) {
    let layout = PlotLayout(
      canvas.width, canvas.height, frame, laneCount: channels.count, rightMargin: 62)
    layout.drawFrame(on: canvas, frame, format, duration)
    for (channel, columns) in channels.enumerated() {
      let lane = layout.lane(channel)
      canvas.picture(
        Self.picture(columns), x: lane.x, y: lane.y, width: lane.width, height: lane.height)
      drawFrequencies(on: canvas, lane)
    }
    drawScale(on: canvas, layout.lanes)
    layout.drawLaneNames(on: canvas, format, color: .paper)
  }

  private static func picture(_ columns: [[Float]]) -> Bitmap {
    let height = columns.first?.count ?? 0
    var bitmap = Bitmap(width: columns.count, height: height)
    for (column, powers) in columns.enumerated() {
      for (row, power) in powers.enumerated() {
        bitmap[column, height - 1 - row] = .heat(part(of: power))
      }
    }
    return bitmap
  }

  private func drawFrequencies(on canvas: borrowing Canvas, _ lane: PlotLayout.Area) {
    guard lane.hasRoomForText else { return }
    let highest = Double(format.sampleRate.hertz) / 2
    var last = Double.infinity
    for frequency in ticks(below: highest) {
      let y = lane.y + lane.height * (1 - scale.part(of: frequency, below: highest))
      guard last - y > 14 else { continue }
      last = y
      canvas.line(.faint, from: (lane.x - 4, y), to: (lane.x, y))
      let text = frequency >= 1_000 ? "\(Int(frequency / 1_000)) k" : "\(Int(frequency))"
      canvas.text(text, x: lane.x - 7, y: y + 4, anchor: 1, size: 10, color: .faint)
    }
  }

  private func ticks(below highest: Double) -> [Double] {
    switch scale {
    case .linear:
      let step = highest > 12_000 ? 4_000.0 : highest > 5_000 ? 2_000 : 1_000
      return Array(stride(from: 0, through: highest, by: step))
    case .mel:
      return [0, 100, 200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000].filter { $0 <= highest }
    }
  }

  /// Draws the color scale at the right edge.
  private func drawScale(on canvas: borrowing Canvas, _ lanes: PlotLayout.Area) {
    let x = lanes.x + lanes.width + 12
    for pixel in 0..<Int(lanes.height) {
      canvas.fill(
        .heat(1 - Double(pixel) / lanes.height), x: x, y: lanes.y.rounded() + Double(pixel),
        width: 10, height: 1)
    }
    let step = lanes.height < 150 ? 50.0 : 20
    for level in stride(from: Self.highest, through: Self.lowest, by: -step) {
      let y = lanes.y + lanes.height * (Self.highest - level) / (Self.highest - Self.lowest)
      canvas.text("\(Int(level))", x: x + 14, y: y + 4, size: 10, color: .faint)
    }
    canvas.text("dBFS", x: x, y: lanes.y - 11, size: 10, color: .faint)
  }
}
