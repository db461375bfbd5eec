import SoundCard
import Testing

@Suite struct HeartbeatTests {
  private func isEqual(_ beat: Heartbeat.Beat, _ other: Heartbeat.Beat) -> Bool { beat == other }

  @Test func `a heartbeat without calls has count 0`() {
    #expect(isEqual(Heartbeat().beat, (0, nil)))
  }

  @Test func `a snapshot contains the current call, and its count grows with each begin and end`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.transfer))
    #expect(isEqual(heartbeat.beat, (1, .transfer)))
    #expect(heartbeat.end())
    #expect(isEqual(heartbeat.beat, (2, nil)))
    #expect(heartbeat.begin(.transfer))
    #expect(isEqual(heartbeat.beat, (3, .transfer)))
  }

  @Test func `a thread can be abandoned only once, and stays abandoned`() {
    let heartbeat = Heartbeat()
    #expect(!heartbeat.isAbandoned)
    #expect(heartbeat.abandon())
    #expect(!heartbeat.abandon())
    #expect(!heartbeat.begin(.transfer))
    #expect(heartbeat.isAbandoned)
  }

  @Test func `end() returns false after the thread was abandoned in a call`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.transfer))
    #expect(heartbeat.abandon(in: heartbeat.beat))
    #expect(!heartbeat.end())
    #expect(!heartbeat.abandon())
  }

  @Test func `abandon(in:) fails if the snapshot's call has returned`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.transfer))
    let seen = heartbeat.beat
    #expect(heartbeat.end())
    #expect(heartbeat.begin(.transfer))
    #expect(!heartbeat.abandon(in: seen))
    #expect(heartbeat.end())
  }
}
