package import AudioCore
package import AudioThreads

/// A device whose every call can be seen to hang.
///
/// Once its thread has been abandoned, every call throws `deviceLost`.
// `@unchecked Sendable` is right because `configuration` is constant, the monitor is made for
// several threads, and everything else belongs to the device's thread, as `PCM` demands.
package class MonitoredDevice: PCM, @unchecked Sendable {
  /// Who sees it.
  package let monitor: DeviceMonitor
  package let configuration: PCMConfiguration
  private var device: any PCM

  init(watching device: any PCM) {
    self.device = device
    configuration = device.configuration
    monitor = DeviceMonitor(device)
  }

  /// Whoever signals this wakes the device that is open then.
  package var waker: WakeUp { monitor.waker }
  package var elapsed: Duration { device.elapsed }

  package func adoptThread() { device.adoptThread() }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try call(.wait) { () throws(SoundCardError) in
      try device.wait(for: interest, atMost: timeout)
    }
  }

  package func start() throws(SoundCardError) {
    try call(.start) { () throws(SoundCardError) in try device.start() }
  }

  package func drop() { monitor.call(.drop) { device.drop() } }
  package func close() { monitor.call(.close) { device.close() } }

  /// Makes a call that can be seen, of a thread that has not been abandoned.
  func call<Value: ~Copyable>(
    _ call: Heartbeat.Call, _ body: () throws(SoundCardError) -> Value
  ) throws(SoundCardError) -> Value {
    try monitor.check()
    return try monitor.call(call, body)
  }

  /// Another device takes the place of one that is closed.
  func change(to device: any PCM) {
    self.device = device
    monitor.waker = device.waker
  }
}
