import Foundation
import Testing

@testable import SyrinxCommand

struct RolledNamesTests {
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

  @Test(arguments: [
    ("take.wav", false, ["take-001.wav", "take-1000.wav"]),
    ("take", false, ["take-002"]),
    ("a%d.wav", true, ["a1.wav", "a12.wav"]),
    ("a%d.wav", false, ["a%d-001.wav"]),
    ("none.wav", true, []),
  ])
  func `a recording goes on in files with numbers`(
    file: String, hasLimit: Bool, rolled: [String]
  ) throws {
    let folder = try TestFolder()
    let names = [
      "take.wav", "take-001.wav", "take-1000.wav", "take-01.wav", "take-abc.wav", "take-001.flac",
      "take-002", "a.wav", "a1.wav", "a12.wav", "ab.wav", "a%d.wav", "a%d-001.wav", "none",
    ]
    for name in names { try Data().write(to: folder.file(name)) }
    let found = rolledFiles(of: folder.file(file).path, hasLimit: hasLimit)
    #expect(Set(found) == Set(rolled.map { folder.file($0).path }))
  }

  @Test
  func `of a folder that is not there nothing is found`() throws {
    let folder = try TestFolder()
    #expect(rolledFiles(of: folder.file("missing/take.wav").path, hasLimit: false).isEmpty)
  }
}
