import Testing

@testable import SyrinxCommand

struct UnknownPlaceTests {
  @Test(arguments: [
    ("take-%Y.wav", "%Y"), ("a%03d-%H%M.wav", "%H"), ("%-d.wav", "%-d"), ("x%123d.wav", "%123d"),
  ])
  func `a place for a date is found`(name: String, place: Substring) {
    #expect(unknownPlace(in: "folder/\(name)") == place)
  }

  @Test(arguments: ["take-%d.wav", "take-%03d.wav", "100%.wav", "100 %", "a.wav", "%Y/a.wav"])
  func `other names have none`(name: String) {
    #expect(unknownPlace(in: name) == nil)
  }
}
