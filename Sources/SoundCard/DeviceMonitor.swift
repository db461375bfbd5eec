import AudioCore
package import AudioThreads

/// Lets another thread than the device's own notice that the device hangs.
package final class DeviceMonitor: Sendable {
  /// What the device's thread does.
  package let heartbeat = Heartbeat()
  private let device: AudioDevice.ID
  private let waker: WakeUp

  init(_ pcm: any PCM) {
    device = pcm.configuration.device
    waker = pcm.waker
  }

  /// Waits for a signal for a moment, and looks at the device where none comes.
  ///
  /// - Returns: what is wrong, where the device hangs: its thread has been abandoned then.
  package func wait(for news: WakeUp, _ watch: inout HeartbeatWatch) -> SoundCardError? {
    let before = SuspendingClock.now
    news.wait(atMost: HeartbeatWatch.interval)
    switch watch.look(heartbeat.beat, after: before.duration(to: .now)) {
    case .fine: return nil
    case .suspicious:
      waker.signal()
      return nil
    case .stuck(let call):
      heartbeat.abandon()
      return .notAnswering(device, operation: call.name)
    }
  }
}

extension DeviceMonitor {
  /// Makes a call that can be seen.
  func call<Value: ~Copyable, Failure: Error>(
    _ call: Heartbeat.Call, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    heartbeat.begin(call)
    defer { heartbeat.end() }
    return try body()
  }

  /// Throws where the thread has been abandoned: its call has returned after all.
  func check() throws(SoundCardError) {
    if heartbeat.isAbandoned { throw .deviceLost(device) }
  }
}
