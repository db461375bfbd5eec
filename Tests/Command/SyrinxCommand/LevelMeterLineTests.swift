import AudioCore
import AudioRecorderClient
import Testing

@testable import SyrinxCommand

struct LevelMeterLineTests {
  private func meter(
    _ peaks: [Double], held: [Double]? = nil, isClipped: Bool = false
  ) -> LevelMeterLine {
    LevelMeterLine(
      label: "0:03.2",
      channels: zip(peaks, held ?? peaks).map {
        (Decibels($0), Decibels($1))
      }, isClipped: isClipped)
  }

  @Test(arguments: [
    (0.0, 20), (-30, 10), (-60, 0), (-90, 0), (-Double.infinity, 0), (6, 20),
  ])
  func `the length of the bar follows the peak`(peak: Double, length: Int) {
    let text = meter([peak]).text(columns: 79)
    #expect(text.count { $0 == "#" } == length)
    #expect(text.hasSuffix("] \(Decibels(peak).levelText)"))
  }

  @Test
  func `each channel has a bar with a line for the held peak, and clipping adds a mark`() {
    #expect(
      meter([-30, -6], held: [-15, -6], isClipped: true).text(columns: 79)
        == "0:03.2 [##########    |     ] [##################  ] -6.0 dBFS CLIP")
  }

  @Test
  func `on fewer than 20 columns, the label is omitted, and no line exceeds its width`() {
    #expect(meter([-30]).text(columns: 19) == "[###   ] -30.0 dBFS")
    #expect(meter([-30], isClipped: true).text(columns: 19) == "[###   ] -30.0 CLIP")
    for columns in 0...79 {
      for count in [1, 2, 8, 64] {
        let peaks = Array(repeating: -12.0, count: count)
        let text = meter(peaks, isClipped: true).text(columns: columns)
        #expect(text.columns <= columns, "\(columns) columns: \(text)")
      }
    }
  }

  @Test
  func `each of many channels has one character in the level meter`() {
    let peaks = [-Double.infinity, -45, -30, 0, -30, -30, -30, -30]
    #expect(meter(peaks).text(columns: 30) == "0:03.2 [ ▂▄█▄▄▄▄] 0.0 dBFS")
  }

  @Test
  func `a peak is held for a second and a half, and the clipping mark stays`() {
    var line = LevelMeterLine()
    func meter(_ peak: Double, at frame: FrameCount) -> LevelMeterLine {
      let level = AudioLevel(peak: Decibels(peak), rms: .silence)
      line.update(
        LevelReading(firstFrame: frame, frameCount: 100, level: level, channels: [level]),
        at: 1_000, label: "")
      return line
    }
    #expect(!meter(-20, at: 0).isClipped)
    #expect(meter(0, at: 100).isClipped)
    let later = meter(-30, at: 1_500)
    #expect(later.isClipped && later.channels.map(\.heldPeak.value) == [0])
    #expect(meter(-30, at: 1_700).channels.map(\.heldPeak.value) == [-30])
  }

  @Test
  func `the clipping mark is red on a terminal with colors`() {
    let clipped = meter([0], isClipped: true)
    var plain = StatusLine()
    var colored = StatusLine(isColored: true)
    #expect(!plain.show(clipped, columns: 80).contains("\u{1B}[1;31m"))
    #expect(colored.show(clipped, columns: 80).contains("\u{1B}[1;31mCLIP\u{1B}[0m"))
  }
}
