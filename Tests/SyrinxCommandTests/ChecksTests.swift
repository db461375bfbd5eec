import ArgumentParser
import Testing

@testable import SyrinxCommand

struct ChecksTests {
  @Test(arguments: [nil, 0, 0.5, 1])
  func `a value in its range passes`(value: Double?) throws {
    try check("--volume", value, in: 0...1, "a factor")
  }

  @Test(arguments: [-0.001, 1.001, .nan, .infinity, -.infinity])
  func `a value outside is named with its range`(value: Double) {
    let error = #expect(throws: ValidationError.self) {
      try check("--volume", value, in: 0...1, "a factor")
    }
    #expect(
      error?.message == "--volume \(value) is out of range; give a factor from 0.0 to 1.0.")
  }
}
