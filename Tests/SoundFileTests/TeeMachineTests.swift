import AudioCore
import Testing

@testable import SoundFile

@Suite struct TeeMachineTests {
  private func buffer(at frame: FrameCount) -> AudioBuffer {
    AudioBuffer(silence: 10, format: .speech, firstFrame: frame)
  }

  @Test func `the file is opened by the first buffer and closed once at the end`() {
    var machine = TeeMachine(gaps: .silence)
    #expect(machine.take(buffer(at: 5)) == [.open(.speech), .write(buffer(at: 5))])
    #expect(machine.take(buffer(at: 15)) == [.write(buffer(at: 15))])
    #expect(machine.end() == [.close])
    #expect(machine.end() == [])
    #expect(machine.take(buffer(at: 25)) == [])
  }

  @Test func `a stream without a buffer has no file`() {
    var machine = TeeMachine(gaps: .silence)
    #expect(machine.end() == [])
  }

  @Test func `a gap is silence, or closed up, as was chosen`() {
    var machine = TeeMachine(gaps: .silence)
    _ = machine.take(buffer(at: 0))
    #expect(machine.take(buffer(at: 13)) == [.silence(3), .write(buffer(at: 13))])
    var closing = TeeMachine(gaps: .closedUp)
    _ = closing.take(buffer(at: 0))
    #expect(closing.take(buffer(at: 13)) == [.write(buffer(at: 13))])
  }

  @Test func `hours ask for a write at a time`() {
    var machine = TeeMachine(gaps: .silence)
    _ = machine.take(buffer(at: 0))
    for number in 1..<10_000 {
      #expect(machine.take(buffer(at: FrameCount(number * 10))).count == 1)
    }
  }
}
