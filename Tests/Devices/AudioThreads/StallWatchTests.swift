import Testing

@testable import AudioThreads

@Suite struct StallWatchTests {
  private var watch = StallWatch(
    lateAfter: .milliseconds(450), limit: .milliseconds(750), startLimit: .seconds(5))

  @Test mutating func `a device that moves no frames is late, and then stalled`() {
    let verdicts = (0..<30).map { _ in
      watch.waited(.milliseconds(200), atMost: .milliseconds(200))
      return watch.verdict
    }
    #expect(verdicts.prefix(2).allSatisfy { $0 == .fine })
    #expect(verdicts[2..<24].allSatisfy { $0 == .late })
    #expect(verdicts[24...].allSatisfy { $0 == .stalled })
  }

  @Test
  mutating func `a wait during which the process was stopped for an hour counts as one timeout`() {
    watch.waited(.seconds(3_600), atMost: .milliseconds(200))
    #expect(watch.verdict == .fine)
  }

  @Test mutating func `waits that are ended early by signals still add up to a stall`() {
    for _ in 0..<600 { watch.waited(.milliseconds(10), atMost: .milliseconds(200)) }
    #expect(watch.verdict == .stalled)
  }

  @Test mutating func `a device that stops running counts as stalled within a second`() {
    watch.progressed()
    let verdicts = (0..<4).map { _ in
      watch.waited(.milliseconds(200), atMost: .milliseconds(200))
      return watch.verdict
    }
    #expect(verdicts == [.fine, .fine, .late, .stalled])
    watch.progressed(isRunning: false)
    watch.waited(.seconds(1), atMost: .seconds(1))
    #expect(watch.verdict == .late)
  }

  @Test
  mutating func `if waits return late, a device counts as stalled only after the start limit`() {
    watch.progressed()
    let verdicts = (0..<26).map { _ in
      watch.waited(.milliseconds(600), atMost: .milliseconds(200))
      return watch.verdict
    }
    #expect(verdicts[23] == .late)
    #expect(verdicts[24] == .stalled)
  }

  @Test mutating func `waits cut short by a recovery do not make a running device stalled`() {
    watch.progressed()
    for _ in 0..<20 { watch.waited(.milliseconds(200), atMost: .seconds(1), isCutShort: true) }
    #expect(watch.verdict == .late)
  }

  @Test mutating func `a device still counts as running after a reset`() {
    watch.progressed()
    watch.waited(.milliseconds(700), atMost: .milliseconds(700))
    watch.reset()
    watch.waited(.milliseconds(700), atMost: .milliseconds(700))
    #expect(watch.verdict == .late)
    watch.waited(.milliseconds(100), atMost: .milliseconds(100))
    #expect(watch.verdict == .stalled)
  }

  @Test mutating func `one moved frame resets the wait time`() {
    watch.waited(.seconds(10), atMost: .seconds(10))
    watch.progressed()
    #expect(watch.verdict == .fine)
  }

  @Test mutating func `a device that needs recoveries without moving a frame is stalled`() {
    watch.progressed()
    let verdicts = (0..<16).map { _ in
      watch.waited(.milliseconds(50), atMost: .milliseconds(400))
      watch.interrupted()
      return watch.verdict
    }
    #expect(verdicts[10] == .late)
    #expect(verdicts[14] == .late)
    #expect(verdicts[15] == .stalled)
  }

  @Test mutating func `a wait for a running device ends when the limit is reached`() {
    #expect(watch.nextWait(atMost: .milliseconds(400)) == .milliseconds(400))
    watch.progressed()
    let waits = (0..<3).map { _ in
      let wait = watch.nextWait(atMost: .milliseconds(400))
      watch.waited(wait, atMost: wait)
      return wait
    }
    #expect(waits == [.milliseconds(400), .milliseconds(350), .milliseconds(1)])
    #expect(watch.verdict == .stalled)
  }

  @Test mutating func `a recovery resets the wait time, but too many recoveries count as a stall`()
  {
    watch.waited(.seconds(4), atMost: .seconds(4))
    watch.interrupted()
    watch.waited(.seconds(4), atMost: .seconds(4))
    #expect(watch.verdict == .late)
    watch.progressed(isRunning: false)
    for _ in 0...StallWatch.interruptionLimit { watch.interrupted() }
    #expect(watch.verdict == .stalled)
  }

  @Test mutating func `an occasional refused transfer is retried at once`() {
    let first = (0..<3).map { _ in watch.refused() }
    #expect(first == [false, false, true])
    watch.progressed()
    let afterwards = watch.refused()
    #expect(!afterwards)
  }

  @Test mutating func `a device that repeatedly discards its frames is stalled`() {
    watch.progressed()
    let verdicts = (0..<StallWatch.discardLimit).map { _ in
      watch.interrupted(isDiscarding: true)
      // The device accepts frames, but plays none of them.
      watch.progressed(isRunning: false)
      return watch.verdict
    }
    #expect(verdicts == [.fine, .fine, .fine, .stalled])
  }

  @Test mutating func `a device that plays frames between discards is not stalled`() {
    for _ in 0..<100 {
      watch.interrupted(isDiscarding: true)
      watch.progressed()
    }
    #expect(watch.verdict == .fine)
  }

  @Test func `a sound server's device counts as stalled only after its configured timeout`() {
    var server = StallWatch(
      lateAfter: .milliseconds(200), longestWait: .milliseconds(200), patience: .seconds(5))
    server.progressed()
    let verdicts = (0..<25).map { _ in
      server.waited(.milliseconds(200), atMost: .milliseconds(200))
      return server.verdict
    }
    #expect(verdicts[23] == .late)
    #expect(verdicts[24] == .stalled)
  }
}
