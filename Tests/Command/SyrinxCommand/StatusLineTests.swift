import Testing

@testable import SyrinxCommand

struct StatusLineTests {
  @Test
  func `a shorter status completely replaces the previous one`() {
    var line = StatusLine()
    #expect(line.show("longer", columns: 80) == "\rlonger\u{1B}[K")
    #expect(line.show("short", columns: 80) == "\rshort\u{1B}[K")
    #expect(line.show("short", columns: 80) == "\rshort\u{1B}[K")
  }

  @Test
  func `a status that would wrap is truncated`() {
    var line = StatusLine()
    #expect(line.show("0123456789", columns: 6) == "\r01234\u{1B}[K")
  }

  @Test
  func `wide characters take two columns, and combining marks take none`() {
    var line = StatusLine()
    #expect(line.show("東京へ行く", columns: 8) == "\r東京へ\u{1B}[K")
    #expect(line.show("東", columns: 80) == "\r東\u{1B}[K")
    #expect("cafe\u{301} a".columns == 6)
    #expect("한국".columns == 4 && "\u{1112}\u{1161}\u{11AB}".columns == 2)
    #expect("👍".columns == 2)
    #expect("1東京2".suffix(columns: 4) == "京2")
    #expect("1東京2".suffix(columns: 0) == "")
    #expect("東".prefix(columns: 1) == "")
  }

  @Test
  func `dimming the volatile tail takes no columns`() {
    var line = StatusLine()
    #expect(line.show("go", tail: "on", columns: 6) == "\rgo \u{1B}[2mon\u{1B}[0m\u{1B}[K")
    #expect(line.show("", tail: "go", columns: 80) == "\r\u{1B}[2mgo\u{1B}[0m\u{1B}[K")
    #expect(line.show("go", tail: "", columns: 80) == "\rgo\u{1B}[K")
  }

  @Test
  func `only the end of a long volatile text is shown`() {
    var line = StatusLine()
    #expect(
      line.show("go forward", tail: "ten", columns: 9)
        == "\rward \u{1B}[2mten\u{1B}[0m\u{1B}[K")
    #expect(line.show("東京へ", tail: "行く", columns: 7) == "\rへ\u{1B}[2m行く\u{1B}[0m\u{1B}[K")
    #expect(line.show("東京へ", tail: "行く", columns: 4) == "\r\u{1B}[2mく\u{1B}[0m\u{1B}[K")
  }

  @Test
  func `clearing erases the shown status once`() {
    var line = StatusLine()
    #expect(line.clear().isEmpty)
    _ = line.show("abc", columns: 80)
    #expect(line.clear() == "\r\u{1B}[K\r")
    #expect(line.clear().isEmpty)
  }

  @Test
  func `after keep(), the next status begins on a new line`() {
    var line = StatusLine()
    #expect(line.keep().isEmpty)
    _ = line.show("abc", columns: 80)
    #expect(line.keep() == "\n")
    #expect(line.show("d", columns: 80) == "\rd\u{1B}[K")
  }
}

struct StatusThrottleTests {
  @Test
  func `at most ten statuses per second are shown`() {
    var pace = StatusThrottle()
    let shown = stride(from: 0, to: 1_000, by: 7).filter { pace.admits(.milliseconds($0)) }
    #expect(shown.count <= 10)
    #expect(shown.first == 0)
  }

  @Test
  func `ten statuses per second all pass the throttle`() {
    var pace = StatusThrottle()
    #expect((0..<10).allSatisfy { pace.admits(.milliseconds($0 * 100)) })
  }
}
