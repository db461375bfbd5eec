import SoundCard
import Testing

@Suite struct HeartbeatTests {
  private func isEqual(_ beat: Heartbeat.Beat, _ other: Heartbeat.Beat) -> Bool { beat == other }

  @Test func `a heartbeat without calls has count 0`() {
    #expect(isEqual(Heartbeat().beat, (0, .none)))
  }

  @Test func `a call is visible while it runs, and consecutive calls differ`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.write))
    #expect(isEqual(heartbeat.beat, (1, .write)))
    #expect(heartbeat.end())
    #expect(isEqual(heartbeat.beat, (2, .none)))
    #expect(heartbeat.begin(.write))
    #expect(isEqual(heartbeat.beat, (3, .write)))
  }

  @Test func `a thread is abandoned once and permanently`() {
    let heartbeat = Heartbeat()
    #expect(!heartbeat.isAbandoned)
    #expect(heartbeat.abandon())
    #expect(!heartbeat.abandon())
    #expect(!heartbeat.begin(.write))
    #expect(heartbeat.isAbandoned)
  }

  @Test func `end returns false after the thread was abandoned in a call`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.write))
    #expect(heartbeat.abandon(in: heartbeat.beat))
    #expect(!heartbeat.end())
    #expect(!heartbeat.abandon())
  }

  @Test func `a thread whose call has returned is not abandoned in it`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.write))
    let seen = heartbeat.beat
    #expect(heartbeat.end())
    #expect(heartbeat.begin(.write))
    #expect(!heartbeat.abandon(in: seen))
    #expect(heartbeat.end())
  }
}
