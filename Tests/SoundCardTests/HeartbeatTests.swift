import SoundCard
import Testing

@Suite struct HeartbeatTests {
  @Test func `a thread that has made no call is in none`() {
    #expect(Heartbeat().beat == Heartbeat.Beat(count: 0, call: .none))
  }

  @Test func `a call is seen while it is under way, and every call is another`() {
    let heartbeat = Heartbeat()
    heartbeat.begin(.write)
    #expect(heartbeat.beat == Heartbeat.Beat(count: 1, call: .write))
    heartbeat.end()
    #expect(heartbeat.beat == Heartbeat.Beat(count: 2, call: .none))
    heartbeat.begin(.write)
    #expect(heartbeat.beat == Heartbeat.Beat(count: 3, call: .write))
  }

  @Test func `it is abandoned once and for all`() {
    let heartbeat = Heartbeat()
    #expect(!heartbeat.isAbandoned)
    heartbeat.abandon()
    #expect(heartbeat.isAbandoned)
  }
}
