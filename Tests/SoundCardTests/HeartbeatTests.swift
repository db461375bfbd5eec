import SoundCard
import Testing

@Suite struct HeartbeatTests {
  @Test func `a thread that has made no call is seen in none`() {
    #expect(Heartbeat().beat == Heartbeat.Beat(count: 0, call: .none))
  }

  @Test func `a call is seen while it runs, and each call differs from the last`() {
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

  @Test func `a thread that is abandoned in a call learns of it when the call returns`() {
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
