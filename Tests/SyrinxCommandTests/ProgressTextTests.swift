import Testing

@testable import SyrinxCommand

struct ProgressTextTests {
  @Test
  func `a long file tells position, speed and the time that is left`() {
    let text = ProgressText(file: "talk.wav", total: .seconds(600))
    #expect(
      text.line(at: .seconds(60), after: .seconds(12))
        == "talk.wav 1:00.0 / 10:00.0 (10 %), 5.0 times real time, 1:48.0 left")
  }

  @Test
  func `in the first second there is nothing to tell`() {
    let text = ProgressText(file: "a.wav", total: .seconds(600))
    #expect(text.line(at: .seconds(60), after: .milliseconds(999)) == nil)
  }

  @Test
  func `without a length there is no end to foresee`() {
    let text = ProgressText(file: "a.mp3", total: nil)
    #expect(
      text.line(at: .seconds(6), after: .seconds(4)) == "a.mp3 0:06.0, 1.5 times real time")
  }

  @Test
  func `a file that is longer than its header says is never more than complete`() {
    let text = ProgressText(file: "a.wav", total: .seconds(10))
    #expect(text.line(at: .seconds(20), after: .seconds(2))?.contains("(100 %)") == true)
    #expect(text.line(at: .seconds(20), after: .seconds(2))?.hasSuffix("0:00.0 left") == true)
    #expect(text.line(at: .zero, after: .seconds(2))?.contains("left") == false)
  }
}
