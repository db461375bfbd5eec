import SpeechEngine
import Synchronization
import Testing

@testable import SpeechClientLive

@Suite struct InterruptionTests {
  /// Counts its interruptions, and interrupts the task again during the first interruption.
  private final class Session: SpeechEngineSession {
    let count = Counter()
    private let control: TaskControl

    final class Counter: Sendable {
      private let value = Atomic(0)
      var now: Int { value.load(ordering: .relaxed) }
      func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }

    init(_ control: TaskControl) {
      self.control = control
    }

    var interrupt: @Sendable () -> Void {
      { [count, control] in
        count.add()
        // This would deadlock if a lock were held during the interruption.
        if count.now == 1 { control.interrupt() }
      }
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }
    func beginUtterance() {}
    func process(_ samples: [Float]) {}
    func finishUtterance() -> SpeechHypothesis { SpeechHypothesis() }
  }

  @Test func `interrupt() affects calls in progress, but not calls that have returned`() {
    let control = TaskControl()
    let sessions = (0..<3).map { _ in Session(control) }
    control.withInterruption(of: sessions[0]) {}
    control.withInterruption(of: sessions[1]) {
      control.withInterruption(of: sessions[2]) { control.interrupt() }
    }
    #expect(sessions[0].count.now == 0)
    #expect(sessions[1].count.now >= 1)
    #expect(sessions[2].count.now >= 1)
  }

  @Test func `a call that begins after interrupt() is interrupted`() {
    let control = TaskControl()
    control.interrupt()
    let session = Session(control)
    let isTold = control.withInterruption(of: session) { session.count.now > 0 }
    #expect(isTold)
  }
}
