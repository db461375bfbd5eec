import AudioCore

/// Determines by autocorrelation whether a sound has the periods of a voice, 80 to 400 a second.
struct VoicingMeter {
  /// How alike two periods of a voice are at least.
  static let likeness: Float = 0.75
  /// A look every 50 ms at the last 40 ms.
  private static let step = 800
  private static let window = 640
  /// Four samples are taken as one: what is above 2 kHz does not matter here.
  private static let thinning = 4
  private static let lags = 10...50
  /// A look at less than this part of the loudest one's power, 40 dB below it, is at a pause.
  private static let quietest: Float = 1e-4

  private struct Look {
    let power: Float
    let isVoiced: Bool
  }

  private var pending: [Float] = []
  private var looks: [Look] = []

  /// Whether half of what sounds, or more, is voiced.
  var isVoiced: Bool {
    let least = (looks.lazy.map(\.power).max() ?? 0) * Self.quietest
    let sounding = looks.filter { $0.power > least }
    return !sounding.isEmpty && sounding.count { $0.isVoiced } * 2 >= sounding.count
  }

  /// Takes the next samples at 16 kHz.
  mutating func add(_ samples: [Float]) {
    pending += samples
    while pending.count >= Self.step {
      look(at: Self.centred(Self.thinned(pending[(Self.step - Self.window)..<Self.step])))
      pending.removeFirst(Self.step)
    }
  }

  private mutating func look(at window: [Float]) {
    let isVoiced = Self.lags.contains { Self.likeness(of: window, lag: $0) >= Self.likeness }
    looks.append(
      Look(
        power: Self.product(window[...], window[...]) / Float(window.count), isVoiced: isVoiced))
  }

  private static func thinned(_ samples: ArraySlice<Float>) -> [Float] {
    stride(from: samples.startIndex, to: samples.endIndex, by: thinning).map { begin in
      samples[begin..<(begin + thinning)].reduce(0, +) / Float(thinning)
    }
  }

  /// The window without its offset, which is as alike as can be at every lag.
  private static func centred(_ window: [Float]) -> [Float] {
    let mean = window.reduce(0, +) / Float(window.count)
    return window.map { $0 - mean }
  }

  /// 1 where the window repeats itself after so many samples, about 0 for noise.
  private static func likeness(of window: [Float], lag: Int) -> Float {
    let (early, late) = (window.dropLast(lag), window.dropFirst(lag))
    let power = product(early, early) * product(late, late)
    return power > 0 ? product(early, late) / power.squareRoot() : 0
  }

  private static func product(_ first: ArraySlice<Float>, _ second: ArraySlice<Float>) -> Float {
    zip(first, second).reduce(into: 0) { $0 += $1.0 * $1.1 }
  }
}
