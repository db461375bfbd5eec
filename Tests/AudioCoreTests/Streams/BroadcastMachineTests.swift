import Testing

@testable import AudioCore

private struct Failure: Error {}

/// Steps a machine and tells what it wants done.
private struct Steps {
  var machine = BroadcastMachine<Failure>()

  mutating func step(
    _ body: (inout BroadcastMachine<Failure>) -> [BroadcastMachine<Failure>.Action]
  ) -> String {
    body(&machine).map(text).joined(separator: " ")
  }

  private func text(_ action: BroadcastMachine<Failure>.Action) -> String {
    switch action {
    case .startSource: "start"
    case .resumeSource: "resume"
    case .stopSource: "stop"
    case .deliver(let audio, let id):
      "\(id):\(audio.buffer.firstFrame.rawValue)"
        + (audio.lost > 0 ? "-\(audio.lost.rawValue)" : "")
    case .end(let id, nil): "\(id):end"
    case .end(let id, _?): "\(id):failure"
    }
  }
}

@Suite struct BroadcastMachineTests {
  private func frames(_ number: Int) -> AudioBuffer { counting(number * 2..<number * 2 + 2) }

  @Test func `the source begins with the first demand, and not when consumers join`() {
    var steps = Steps()
    let (one, two) = (steps.machine.join(.waiting), steps.machine.join(.waiting))
    #expect(steps.step { $0.demand(by: one) } == "start")
    #expect(steps.step { $0.demand(by: two) } == "")
    #expect(steps.step { $0.sourceIsReady() } == "resume")
    #expect(steps.step { $0.send(frames(0)) } == "1:0 2:0")
  }

  @Test func `the source waits for a consumer that waits, and goes on when it has taken`() {
    var steps = Steps()
    let (fast, slow) = (steps.machine.join(.waiting), steps.machine.join(.waiting))
    _ = steps.step { $0.demand(by: fast) }
    _ = steps.step { $0.sourceIsReady() }
    #expect(steps.step { $0.send(frames(0)) } == "1:0")
    #expect(steps.step { $0.sourceIsReady() } == "")
    #expect(steps.step { $0.demand(by: fast) } == "")
    #expect(steps.step { $0.demand(by: slow) } == "2:0 resume")
  }

  @Test func `a slow consumer that drops loses the oldest and is told how much, in order`() {
    var steps = Steps()
    let (fast, slow) = (steps.machine.join(.waiting), steps.machine.join(.droppingOldest(4)))
    for number in 0..<5 {
      _ = steps.step { $0.demand(by: fast) }
      if number == 0 { _ = steps.step { $0.sourceIsReady() } }
      #expect(steps.step { $0.send(frames(number)) } == "1:\(number * 2)")
      #expect(steps.step { $0.sourceIsReady() } == "resume")
    }
    #expect(steps.step { $0.demand(by: slow) } == "2:6-6")
    #expect(steps.step { $0.demand(by: slow) } == "2:8")
  }

  @Test func `the newest buffer stays however little may wait`() {
    var queue = BroadcastQueue(policy: .droppingOldest(0))
    for number in 0..<3 { queue.append(frames(number)) }
    #expect(queue.next() == BroadcastAudio(frames(2), lost: 4))
    #expect(queue.next() == nil)
  }

  @Test func `a consumer that joins late hears what comes from then on`() {
    var steps = Steps()
    let early = steps.machine.join(.waiting)
    _ = steps.step { $0.demand(by: early) }
    _ = steps.step { $0.sourceIsReady() }
    _ = steps.step { $0.send(frames(0)) }
    let late = steps.machine.join(.waiting)
    _ = steps.step { $0.sourceIsReady() }
    _ = steps.step { $0.demand(by: early) }
    #expect(steps.step { $0.send(frames(1)) } == "1:2")
    #expect(steps.step { $0.demand(by: late) } == "2:2")
  }

  @Test func `the end comes once, after what waits, and an error reaches everybody`() {
    var steps = Steps()
    let (one, two) = (steps.machine.join(.waiting), steps.machine.join(.waiting))
    _ = steps.step { $0.demand(by: one) }
    _ = steps.step { $0.sourceIsReady() }
    _ = steps.step { $0.send(frames(0)) }
    _ = steps.step { $0.demand(by: one) }
    #expect(steps.step { $0.finish(Failure()) } == "1:failure")
    #expect(steps.step { $0.demand(by: one) } == "1:end")
    #expect(steps.step { $0.demand(by: two) } == "2:0")
    #expect(steps.step { $0.demand(by: two) } == "2:failure")
    let late = steps.machine.join(.waiting)
    #expect(steps.step { $0.demand(by: late) } == "3:failure")
    #expect(steps.step { $0.demand(by: late) } == "3:end")
  }

  @Test func `a consumer that leaves holds nobody up`() {
    var steps = Steps()
    let (one, two) = (steps.machine.join(.waiting), steps.machine.join(.waiting))
    _ = steps.step { $0.demand(by: one) }
    _ = steps.step { $0.sourceIsReady() }
    _ = steps.step { $0.send(frames(0)) }
    _ = steps.step { $0.demand(by: one) }
    #expect(steps.step { $0.sourceIsReady() } == "")
    #expect(steps.step { $0.leave(two) } == "resume")
    #expect(steps.step { $0.leave(one) } == "1:end")
    #expect(steps.step { $0.demand(by: one) } == "1:end")
  }

  @Test func `without consumers the source waits, and goes on when one asks`() {
    var steps = Steps()
    let one = steps.machine.join(.waiting)
    _ = steps.step { $0.demand(by: one) }
    _ = steps.step { $0.leave(one) }
    #expect(steps.step { $0.sourceIsReady() } == "")
    let two = steps.machine.join(.droppingOldest(9))
    #expect(steps.step { $0.demand(by: two) } == "resume")
  }

  @Test func `when the broadcast and all consumers are gone the source is stopped`() {
    var steps = Steps()
    let one = steps.machine.join(.waiting)
    _ = steps.step { $0.demand(by: one) }
    #expect(steps.step { $0.close() } == "")
    #expect(steps.step { $0.leave(one) } == "1:end stop")
    #expect(steps.step { $0.sourceIsReady() } == "stop")
    #expect(steps.step { $0.finish(nil) } == "")
  }

  @Test func `hours leave no more than its limit behind for the slowest consumer`() {
    var steps = Steps()
    _ = steps.machine.join(.droppingOldest(100))
    let fast = steps.machine.join(.waiting)
    for number in 0..<50_000 {
      _ = steps.step { $0.demand(by: fast) }
      _ = steps.step { $0.sourceIsReady() }
      _ = steps.step { $0.send(frames(number)) }
      #expect(steps.machine.heldFrames <= 100)
    }
  }
}
