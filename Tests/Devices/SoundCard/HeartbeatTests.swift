import SoundCard
import Testing

@Suite struct HeartbeatTests {
  @Test func `a heartbeat without calls has count 0`() {
    #expect(Heartbeat().beat == Heartbeat.Beat(count: 0, call: .none))
  }

  @Test func `a call is visible while it runs, and consecutive calls differ`() {
    let heartbeat = Heartbeat()
    #expect(heartbeat.begin(.write))
    #expect(heartbeat.beat == Heartbeat.Beat(count: 1, call: .write))
    #expect(heartbeat.end())
    #expect(heartbeat.beat == Heartbeat.Beat(count: 2, call: .none))
    #expect(heartbeat.begin(.write))
    #expect(heartbeat.beat == Heartbeat.Beat(count: 3, call: .write))
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
