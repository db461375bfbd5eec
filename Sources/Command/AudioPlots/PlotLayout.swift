import AudioCore

/// The positions of the parts of a plot: the title, a lane for each channel, the time axis, and the
/// cues.
struct PlotLayout {
  struct Area {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    /// Whether a lane has room for a name and an axis.
    var hasRoomForText: Bool { height >= 20 }
  }

  let lanes: Area
  private let laneCount: Int
  private let cues: Area

  private static let gap = 8.0
  private static let roomyLaneHeight = 24.0
  private static let cueHeight = 22.0
  private static let timeHeight = 26.0

  init(
    _ width: Double, _ height: Double, _ frame: PlotFrame, laneCount: Int,
    rightMargin: Double = 16
  ) {
    self.laneCount = laneCount
    let (top, cuesHeight) = (Self.top(of: frame), Self.cuesHeight(of: frame))
    let lanes = Area(
      x: 44, y: top, width: width - 44 - rightMargin,
      height: max(20, height - top - Self.timeHeight - cuesHeight))
    self.lanes = lanes
    cues = Area(
      x: lanes.x, y: lanes.y + lanes.height + Self.timeHeight, width: lanes.width,
      height: cuesHeight)
  }

  /// Returns the height of a plot whose lanes all have room for text.
  static func height(of frame: PlotFrame, laneCount: Int) -> Double {
    let lanes = Double(laneCount) * (roomyLaneHeight + gap) - gap
    return top(of: frame) + lanes + timeHeight + cuesHeight(of: frame)
  }

  private static func top(of frame: PlotFrame) -> Double { frame.title.isEmpty ? 12 : 30 }

  private static func cuesHeight(of frame: PlotFrame) -> Double {
    frame.cues.isEmpty ? 0 : 2 * cueHeight + 6
  }

  /// Returns the lane of a channel.
  func lane(_ index: Int) -> Area {
    let count = Double(laneCount)
    // A lane is at least twice as high as the gap below it.
    let gap = min(Self.gap, lanes.height / count / 3)
    let height = (lanes.height - gap * (count - 1)) / count
    return Area(
      x: lanes.x, y: lanes.y + Double(index) * (height + gap), width: lanes.width, height: height)
  }

  /// Draws everything except the audio.
  func drawFrame(
    on canvas: borrowing Canvas, _ frame: PlotFrame, _ format: AudioFormat, _ duration: Duration
  ) {
    canvas.fill(.paper, x: 0, y: 0, width: canvas.width, height: canvas.height)
    if !frame.title.isEmpty {
      let details = "\(format)"
      let space = canvas.width(of: details, size: 11)
      canvas.text(details, x: lanes.x + lanes.width, y: 19, anchor: 1, color: .faint)
      canvas.text(
        frame.title, x: lanes.x, y: 19, size: 13, limit: max(0, lanes.width - space - 16))
    }
    drawTime(on: canvas, duration)
    drawCues(on: canvas, frame.cues, duration)
  }

  /// Writes the names of several channels into their lanes.
  func drawLaneNames(
    on canvas: borrowing Canvas, _ format: AudioFormat, color: Color = .ink
  ) {
    guard laneCount > 1 else { return }
    for (index, position) in format.layout.positions.enumerated() {
      let lane = lane(index)
      guard lane.hasRoomForText else { return }
      let name = position == .unknown ? "\(index + 1)" : position.abbreviation
      canvas.text(name, x: lane.x + 6, y: lane.y + 14, size: 10, color: color)
    }
  }

  private func drawTime(on canvas: borrowing Canvas, _ duration: Duration) {
    let seconds = duration.inSeconds
    guard seconds > 0 else { return }
    let bottom = lanes.y + lanes.height
    canvas.line(.faint, from: (lanes.x, bottom + 0.5), to: (lanes.x + lanes.width, bottom + 0.5))
    let step = Self.timeStep(seconds: seconds, most: max(2, Int(lanes.width / 80)))
    for index in 0...Int(clamping: (seconds / step).rounded(.down)) {
      let x = lanes.x + Double(index) * step / seconds * lanes.width
      canvas.line(.faint, from: (x, bottom), to: (x, bottom + 4))
      let text = Self.timeText(Double(index) * step, step: step)
      let width = canvas.width(of: text, size: 10)
      // Keeps the last label inside the picture.
      let center = min(x, canvas.width - width / 2 - 2)
      canvas.text(text, x: center, y: bottom + 17, anchor: 0.5, size: 10, color: .faint)
    }
  }

  /// Draws the cues alternately in two rows, so that the texts of neighbors do not collide.
  private func drawCues(
    on canvas: borrowing Canvas, _ texts: [PlotFrame.Cue], _ duration: Duration
  ) {
    let seconds = duration.inSeconds
    guard seconds > 0 else { return }
    for (index, cue) in texts.enumerated() {
      let (begin, end) = (cue.time.lowerBound.inSeconds, cue.time.upperBound.inSeconds)
      guard begin < seconds, end > 0 else { continue }
      let x = cues.x + max(0, begin) / seconds * cues.width
      let width = max(3, (min(end, seconds) - max(0, begin)) / seconds * cues.width - 2)
      let y = cues.y + Double(index % 2) * (Self.cueHeight + 2)
      canvas.fill(.cue, x: x, y: y, width: width, height: Self.cueHeight)
      canvas.fill(.core, x: x, y: y, width: 2, height: Self.cueHeight)
      canvas.text(cue.text, x: x + 6, y: y + 15, size: 11, limit: max(0, width - 8))
    }
  }
}

/// Chooses and formats the marks of the time axis.
extension PlotLayout {
  private static let timeSteps = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
  ]

  /// Returns the shortest round step that needs at most `count` marks.
  private static func timeStep(seconds: Double, most count: Int) -> Double {
    timeSteps.first { seconds / $0 <= Double(count) } ?? (seconds / Double(count)).rounded(.up)
  }

  /// Formats a time as `0.25 s` if `step` is less than a second; otherwise as `1:05` or `1:00:00`.
  private static func timeText(_ seconds: Double, step: Double) -> String {
    if step < 1 {
      let thousandths = Int(clamping: seconds * 1_000)
      let digits = step < 0.01 ? 3 : step < 0.1 ? 2 : 1
      let fraction = String(1_000 + thousandths % 1_000).dropFirst().prefix(digits)
      return "\(thousandths / 1_000).\(fraction) s"
    }
    let whole = Int(clamping: seconds)
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    let twoDigits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0
      ? "\(hours):\(twoDigits(minutes)):\(twoDigits(whole % 60))"
      : "\(minutes):\(twoDigits(whole % 60))"
  }
}
