import AudioCore
package import AudioThreads

/// Lets another thread than the device's own notice that the device hangs.
package final class DeviceMonitor: Sendable {
  /// What the device's thread does.
  package let heartbeat = Heartbeat()
  /// What wakes the device.
  package let waker: WakeUp
  private let device: AudioDevice.ID

  init(_ pcm: any PCM) {
    device = pcm.configuration.device
    waker = pcm.waker
  }

  /// Waits for a signal for a moment, and looks at the device where none comes.
  ///
  /// - Returns: what is wrong, where the device hangs: its thread has been abandoned then, and what
  ///   it worked on is the caller's.
  package func wait(for news: WakeUp, _ watch: inout HeartbeatWatch) -> SoundCardError? {
    let before = SuspendingClock.now
    news.wait(atMost: HeartbeatWatch.interval)
    let beat = heartbeat.beat
    switch watch.look(beat, after: before.duration(to: .now)) {
    case .fine: return nil
    case .suspicious:
      waker.signal()
      return nil
    case .stuck(let call):
      // Its call may return right now.
      return heartbeat.abandon(in: beat) ? .notAnswering(device, operation: call.name) : nil
    }
  }
}

extension DeviceMonitor {
  /// Makes a call that can be seen; throws where the thread has been abandoned, before or in it.
  func call<Value>(
    _ call: Heartbeat.Call, _ body: () throws(SoundCardError) -> Value
  ) throws(SoundCardError) -> Value {
    guard heartbeat.begin(call) else { throw .deviceLost(device) }
    let result = Result { () throws(SoundCardError) in try body() }
    guard heartbeat.end() else { throw .deviceLost(device) }
    return try result.get()
  }
}
