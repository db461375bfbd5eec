import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct FeatureParametersTests {
  private static let good = """
    -lowerf 130
    -upperf 6800
    -nfilt 25
    -transform dct
    -lifter 22
    -feat 1s_c_d_dd
    -svspec 0-12/13-25/26-38
    -cmn batch
    -cmninit 41.00,-5.29,-0.12,5.09,2.48,-4.07,-1.37,-1.78,-5.08,-2.05,-6.45,-1.42,1.17
    """

  private func parse(_ text: String) throws {
    _ = try ModelBytes(Array(text.utf8)).featureParameters()
  }

  @Test func `the parameters of the installed model are valid`() throws {
    try parse(Self.good)
  }

  @Test(arguments: [("-lowerf 130", "-lowerf"), ("-cmn batch", "")])
  func `a missing parameter or a parameter without a value is reported as damage`(
    good: String, bad: String
  ) {
    #expect(throws: ModelDamage.self) {
      try parse(Self.good.replacing(good, with: bad))
    }
  }

  @Test(arguments: [("-samprate 8000", false), ("-samprate 16000.0", true), ("-frate 50", false)])
  func `a model for another sample rate or frame rate is refused`(line: String, isRead: Bool) {
    let result: Void? = try? parse("\(Self.good)\n\(line)")
    #expect((result != nil) == isRead)
  }

  @Test func `the reported damage names the missing parameter`() {
    #expect(throws: ModelDamage("-cmn is missing")) {
      try parse(Self.good.replacing("-cmn batch", with: ""))
    }
  }
}
