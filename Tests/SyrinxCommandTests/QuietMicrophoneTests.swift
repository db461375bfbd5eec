import AudioCore
import Testing

@testable import SyrinxCommand

struct QuietMicrophoneTests {
  @Test
  func `three seconds under the threshold are told once, with the loudest of them`() {
    var microphone = QuietMicrophone()
    let told = [-80.0, -75, -90, -72, -80].map { hears(&microphone, $0) }
    #expect(told == [nil, nil, -75, nil, nil])
  }

  @Test
  func `a sound begins the count anew, and the next quiet stretch is told as well`() {
    var microphone = QuietMicrophone()
    let told = [-80.0, -80, -20, -80, -80, -80, -30, -90, -90, -90].map { hears(&microphone, $0) }
    #expect(told == [nil, nil, nil, nil, nil, -80, nil, nil, nil, -90])
  }

  /// A second whose peak has this level, in dBFS; what is told of it, in dBFS as well.
  private func hears(_ microphone: inout QuietMicrophone, _ level: Double) -> Double? {
    let peak = Decibels(dBFS: level)
    return microphone.hears(AudioLevel(peak: peak, rms: .silence), for: .seconds(1))?.dBFS
  }
}
