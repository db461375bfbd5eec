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
  func `what is written of a stream, drawn`(
    steps: String, gaps: TeePolicy.Gaps, expected: String
  ) {
    var machine = TeeMachine(gaps: gaps)
    let columns = steps.map { step -> String in
      let actions =
        switch step {
        case "-": [TeeMachine.Action]()
        case "|": machine.end()
        default: machine.take(drawnBuffer(step))
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
