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
    _ = try FeatureParameters(try ModelBytes(Array(text.utf8)))
  }

  @Test func `the parameters of the installed model are valid`() throws {
    try parse(Self.good)
  }

  @Test(arguments: [
    ("batch", "nonsense"), ("1s_c_d_dd", "2s"), ("-lifter 22", "-lifter -1"), ("25\n", "0\n"),
    ("-lowerf 130", "-bogus 3"), ("130", "x"), ("41.00,", ""), ("0-12", "0-99"), ("-cmn batch", ""),
    ("-lowerf 130", "-lowerf"), ("6800", "nan"), ("25\n", "2e1\n"),
    ("-nfilt 25", "-nfilt 25\n-upperf 6900"), ("-lowerf 130", "-lowerf 130\n-nfft 5.12e2"),
  ])
  func `a value that would end or mislead PocketSphinx is damage`(
    good: String, bad: String
  ) {
    #expect(throws: ModelDamage.self) {
      try parse(Self.good.replacing(good, with: bad))
    }
  }

  @Test func `the damage names the parameter and the value`() {
    #expect(throws: ModelDamage("-cmn cannot be nonsense")) {
      try parse(Self.good.replacing("batch", with: "nonsense"))
    }
  }

  @Test(arguments: [
    ("4000", "1000", "25"), ("4000", "4000", "25"), ("3900", "4000", "25"), ("0", "1000", "80"),
  ])
  func `a filter that covers no line of the spectrum is damage`(
    lower: String, upper: String, count: String
  ) {
    #expect(throws: ModelDamage.self) { try parse(Self.filters(lower, upper, count)) }
  }

  @Test(arguments: [("133.33334", "6855.4976", "40"), ("0", "8000", "80"), ("130", "3700", "20")])
  func `the filterbanks of other models are valid`(
    lower: String, upper: String, count: String
  ) throws {
    try parse(Self.filters(lower, upper, count))
  }

  @Test func `the error names band edges in the wrong order`() {
    #expect(throws: ModelDamage("-lowerf 4000.0 is not below -upperf 1000.0")) {
      try parse(Self.filters("4000", "1000", "25"))
    }
  }

  private static func filters(_ lower: String, _ upper: String, _ count: String) -> String {
    good.replacing("-lowerf 130", with: "-lowerf \(lower)")
      .replacing("-upperf 6800", with: "-upperf \(upper)")
      .replacing("-nfilt 25", with: "-nfilt \(count)")
  }
}
