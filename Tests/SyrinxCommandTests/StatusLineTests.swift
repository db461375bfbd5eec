import Testing

@testable import SyrinxCommand

struct StatusLineTests {
  @Test
  func `a shorter text leaves nothing of the one before`() {
    var line = StatusLine()
    #expect(line.show("longer", columns: 80) == "\rlonger")
    #expect(line.show("short", columns: 80) == "\rshort ")
    #expect(line.show("short", columns: 80) == "\rshort")
  }

  @Test
  func `a text that would wrap is cut`() {
    var line = StatusLine()
    #expect(line.show("0123456789", columns: 6) == "\r01234")
  }

  @Test
  func `what is volatile is dim, and takes no room for that`() {
    var line = StatusLine()
    #expect(line.show("go on", columns: 80, dimmed: 2) == "\rgo \u{1B}[2mon\u{1B}[0m")
    #expect(line.show("go", columns: 80, dimmed: 2) == "\r\u{1B}[2mgo\u{1B}[0m   ")
    #expect(line.show("go", columns: 80) == "\rgo")
  }

  @Test
  func `cleared is what was shown, once`() {
    var line = StatusLine()
    #expect(line.clear().isEmpty)
    _ = line.show("abc", columns: 80)
    #expect(line.clear() == "\r   \r")
    #expect(line.clear().isEmpty)
  }

  @Test
  func `a line that is kept is not written over`() {
    var line = StatusLine()
    #expect(line.keep().isEmpty)
    _ = line.show("abc", columns: 80)
    #expect(line.keep() == "\n")
    #expect(line.show("d", columns: 80) == "\rd")
  }
}
