import AudioCore
import Testing

@testable import SoundFile

@Suite struct TeeMachineTests {
  private func buffer(at frame: FrameCount) -> AudioBuffer {
    AudioBuffer(silence: 10, format: .speech, firstFrame: frame)
  }

  @Test func `the first buffer opens the file, and the end closes it once`() {
    var machine = TeeMachine(gaps: .silence)
    #expect(machine.process(buffer(at: 5)) == [.open(.speech), .write(buffer(at: 5))])
    #expect(machine.process(buffer(at: 15)) == [.write(buffer(at: 15))])
    #expect(machine.end() == [.close])
    #expect(machine.end() == [])
    #expect(machine.process(buffer(at: 25)) == [])
  }

  @Test func `a stream without a buffer has no file`() {
    var machine = TeeMachine(gaps: .silence)
    #expect(machine.end() == [])
  }

  @Test func `a gap becomes silence or is closed up according to the policy`() {
    var machine = TeeMachine(gaps: .silence)
    _ = machine.process(buffer(at: 0))
    #expect(machine.process(buffer(at: 13)) == [.silence(3), .write(buffer(at: 13))])
    var closing = TeeMachine(gaps: .closedUp)
    _ = closing.process(buffer(at: 0))
    #expect(closing.process(buffer(at: 13)) == [.write(buffer(at: 13))])
  }

  @Test func `hours of audio request one write at a time`() {
    var machine = TeeMachine(gaps: .silence)
    _ = machine.process(buffer(at: 0))
    for number in 1..<10_000 {
      #expect(machine.process(buffer(at: FrameCount(number * 10))).count == 1)
    }
  }

  /// A column per step.
  ///
  /// Letters are buffers of two frames, `a` with 0 and 1, `b` with 2 and 3; `-` is nothing, and `|`
  /// the end. Actions: `(` opens, `~` writes a frame of silence, a letter writes that buffer, and
  /// `)` closes.
  @Test(
    arguments: [
      ("ab-c|", .silence, "(a b - c )"),
      ("a-d-|", .silence, "(a - ~~~~d - )"),
      ("a-d-|", .closedUp, "(a - d - )"),
      ("c-d|", .silence, "(c - d )"),
      ("ca|", .silence, "(c a )"),
      ("--|", .silence, "- - -"),
      ("ab|c|", .silence, "(a b ) - -"),
    ] as [(String, TeePolicy.Gaps, String)])
  func `the actions on the file follow the drawn stream`(
    steps: String, gaps: TeePolicy.Gaps, expected: String
  ) {
    var machine = TeeMachine(gaps: gaps)
    let columns = steps.map { step -> String in
      let actions =
        switch step {
        case "-": [TeeMachine.Action]()
        case "|": machine.end()
        default: machine.process(drawnBuffer(step))
        }
      return actions.isEmpty ? "-" : actions.map(drawn).joined()
    }
    #expect(columns.joined(separator: " ") == expected)
  }

  private func drawnBuffer(_ letter: Character) -> AudioBuffer {
    let number = Int(letter.asciiValue ?? 0) - 97
    return AudioBuffer(silence: 2, format: .speech, firstFrame: FrameCount(2 * number))
  }

  private func drawn(_ action: TeeMachine.Action) -> String {
    switch action {
    case .open: "("
    case .silence(let count): String(repeating: "~", count: count.rawValue)
    case .write(let buffer):
      String(UnicodeScalar(UInt8(97 + buffer.firstFrame.rawValue / 2)))
    case .close: ")"
    }
  }
}
