package import AudioCore
package import AudioThreads
import Synchronization

/// One open device with its ports, its audio thread, and its control thread.
///
/// The control thread reports the events of the audio thread, notifies the ports' readers and
/// feeders, detects hanging calls, and reopens a lost device for the ports that wait for it.
package final class DeviceRuntime<Server: PortServer>: Sendable {
  package typealias Port = Server.Port

  struct State {
    /// The places without a port; a place is taken by `reserve` and freed when the audio thread
    /// releases its port.
    var freePlaces: Set<Int>
    /// The ports by place; a serial number distinguishes a port from earlier ports in the same
    /// place.
    var ports: [Int: (port: Port, serial: Int)] = [:]
    var lastSerial = 0
    /// The open device and its audio thread; nil while the device is lost.
    var device: Server.Device?
    var audioThread: DedicatedThread?
    /// The result of the audio thread, and the device's time at the thread's end.
    var threadEnd: (outcome: Result<Void, SoundCardError>, time: Duration)?
    /// The result with which the runtime ended; nil while it runs.
    var outcome: Result<Void, any Error>?
    var isEnding = false
    /// Reopens the lost device; nil again once the returned device moves frames.
    var reopener: DeviceReopener<Server.Device>?

    /// Removes the port in `place`; returns nil if the port has already been removed.
    mutating func remove(_ place: Int) -> Port? {
      guard let (port, serial) = ports.removeValue(forKey: place) else { return nil }
      reopener?.leave(serial)
      return port
    }
  }

  /// The device's configuration at its first opening; a reopened device may have another
  /// configuration.
  package let configuration: PCMConfiguration
  /// Transfers audio between the ports and the device.
  package let server: Server
  let link: DeviceLink<Port>
  let reopening: DeviceOpening<Server>?

  /// The identity of the device's sound card.
  package var card: ObjectIdentifier? { reopening?.card }

  /// The present time on the clock of `PCM.hostTime`.
  package var now: ContinuousClock.Instant { reopening?.now ?? .now }
  // The lock is held for a few instructions by the control thread and users, never by the audio
  // thread.
  let state: Mutex<State>
  /// Whether the audio thread has started; the lock is held while it starts.
  private let hasStarted = Mutex(false)
  /// Opens at the end of the control thread.
  private let ended = Gate()

  /// Starts the control thread; the audio thread starts with the first port.
  ///
  /// `reopening` has the parameters to reopen a lost device; if it is nil, a loss ends the runtime.
  package init(
    _ device: Server.Device, _ server: Server, reopening: DeviceOpening<Server>? = nil
  ) throws(SystemError) {
    (self.server, link, self.reopening) = (server, server.link, reopening)
    configuration = device.configuration
    state = Mutex(State(freePlaces: Set(0..<server.link.ports.limit), device: device))
    _ = try DedicatedThread.start(name: "syrinx-control") { [self] in
      control()
      ended.open()
    }
  }

  // MARK: Any thread

  /// Whether the device has ended or failed permanently and serves no port.
  package var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Whether the device is lost and may return.
  package var isAway: Bool { state.withLock { $0.reopener?.isDeviceLost == true } }

  /// Reserves a place for a port; returns nil if all places are in use.
  ///
  /// Ports that a hanging thread has not released keep their places.
  package func reserve() -> Int? {
    state.withLock { state in
      guard let place = state.freePlaces.min() else { return nil }
      state.freePlaces.remove(place)
      return place
    }
  }

  /// Adds a port in its reserved place; if the device has ended, concludes the port at once.
  package func add(_ port: Port, in place: Int) {
    let refusal: Result<Void, any Error>? = hasStarted.withLock { hasStarted in
      if let refusal = admit(port, in: place) { return refusal }
      guard !hasStarted, let device = state.withLock({ $0.device }) else { return nil }
      hasStarted = true
      do {
        try drive(device)
      } catch {
        device.close()
        end(.failure(error))
      }
      return nil
    }
    switch refusal {
    case nil:
      wake()
      // Without ports, the control thread sleeps until it is signaled, so wake it to serve the new
      // port.
      link.wakeControl()
    case .success: port.conclude(nil)
    case .failure(let error): port.conclude(error)
    }
  }

  /// Wakes the audio thread, because there is a command or a port has changed.
  package func wake() {
    guard let device = state.withLock({ $0.device }) else { return link.wakeControl() }
    // `commandHold` stops a virtual card's time until the audio thread ends the hold. Without that
    // thread, the hold must not begin.
    if hasStarted.withLock({ $0 }) { link.commandHold?.begin() }
    device.waker.signal()
    // If the device was lost meanwhile, the control thread performs the commands and ends
    // `commandHold`.
    if state.withLock({ $0.device !== device }) { link.wakeControl() }
  }

  /// Ends the threads and closes the device; returns when that is done.
  ///
  /// It does not wait for a device that is lost or hangs; the device's thread closes the device
  /// when the hanging call returns.
  package func close() async {
    quit()
    await ended.wait()
    await state.withLock { $0.audioThread }?.join()
  }

  /// Makes the threads close the device and end.
  package func quit() {
    state.withLock { $0.isEnding = true }
    link.quit()
    wake()
    link.wakeControl()
  }

  /// Adds a port; returns the result of the device instead if it has ended.
  ///
  /// The port and its arrival are added under one lock, so they become visible together, and the
  /// ring of arrivals has one writer at a time.
  private func admit(_ port: Port, in place: Int) -> Result<Void, any Error>? {
    state.withLock { state in
      var refusal = state.outcome
      if state.isEnding, refusal == nil {
        refusal = .failure(SoundCardError.deviceLost(configuration.device))
      }
      if let reopener = state.reopener, reopener.isDeviceLost, port.onDeviceLoss == .fail {
        refusal = refusal ?? .failure(reopener.error)
      }
      guard refusal == nil else {
        state.freePlaces.insert(place)
        return refusal
      }
      state.lastSerial += 1
      state.ports[place] = (port, state.lastSerial)
      link.ports.put(port, in: place)
      link.arrivals.tryWrite(place)
      return nil
    }
  }

  /// Starts the audio thread of a device.
  func drive(_ device: Server.Device) throws(SystemError) {
    state.withLock { $0.device = device }
    // This stops the time of a virtual card until the thread has taken over the device.
    link.commandHold?.begin()
    let thread = try DedicatedThread.start(name: Server.threadName) { [self] in
      device.adoptThread()
      let outcome = Result { () throws(SoundCardError) in try server.run() }
      let time = device.elapsed
      device.close(after: outcome) { outcome in
        // If another device has replaced this one meanwhile, the result of this thread is ignored.
        state.withLock { if $0.device === device { $0.threadEnd = (outcome, time) } }
        link.wakeControl()
      }
    }
    // If the device was lost in the meantime, the thread is not stored.
    state.withLock { if $0.device === device { $0.audioThread = thread } }
  }

  /// Sets the result of the runtime; the first result counts.
  func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    link.wakeControl()
  }

  // MARK: The control thread

  private func control() {
    // After this thread has ended, no thread would end these holds, and a virtual card's time would
    // stop.
    defer {
      link.newsHold?.close()
      link.commandHold?.close()
    }
    while true {
      let newsCount = link.newsHold?.count
      // `threadEnd` is read before the events: the audio thread writes its last event before it
      // ends, so the events that are read afterward are complete.
      let threadEnd = state.withLock { $0.threadEnd.take() }
      passOnEvents()
      switch threadEnd?.outcome {
      case nil: break
      case .success: end(.success(()))
      case .failure(let error): lose(error, at: threadEnd?.time)
      }
      serveWithoutDevice()
      if state.withLock({ $0.isEnding }), !hasStarted.withLock({ $0 }) {
        end(.success(()))
      }
      if let outcome = state.withLock({ $0.outcome }) { return finish(outcome) }
      link.newsHold?.end(at: newsCount)
      waitForNews()
    }
  }

  var ports: [Port] { state.withLock { $0.ports.values.map(\.port) } }

  /// Sleeps until an event; while there are ports, a hanging device also counts as an event.
  private func waitForNews() {
    let device = state.withLock { $0.isEnding || !$0.ports.isEmpty ? $0.device : nil }
    guard let device else {
      link.news.wait()
      return
    }
    do throws(SoundCardError) {
      while try !device.monitor(until: link.news, isEnding: isEnding) {}
    } catch {
      lose(error, at: nil)
    }
  }

  /// Whether every port was stopped, or the threads should end.
  private var isEnding: Bool {
    state.withLock { $0.isEnding || $0.ports.values.allSatisfy(\.port.isStopping) }
  }

  func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let place): release(place)
      case .starved(let place, _), .silence(let place, _):
        state.withLock { $0.ports[place]?.port }?.report(event)
      case .limited: for port in ports { port.report(event) }
      case .returned: endLoss()
      }
    }
    for port in ports { port.reportNews() }
  }

  /// Frees the place of a port that the audio thread has released, and ends the port if necessary.
  private func release(_ place: Int) {
    let port = state.withLock { state in
      link.ports.put(nil, in: place)
      state.freePlaces.insert(place)
      return state.remove(place)
    }
    port?.conclude(nil)
  }

  /// Ends a port before the audio thread releases it; its place stays reserved until then.
  func end(_ place: Int, _ error: any Error) {
    state.withLock { $0.remove(place) }?.conclude(error)
    // While the device is lost, the control thread releases the port, so wake that thread.
    link.wakeControl()
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    let ports = ports
    let (reopener, device) = state.withLock { state in
      for place in 0..<link.ports.limit { link.ports.put(nil, in: place) }
      state.freePlaces = Set(0..<link.ports.limit)
      state.ports = [:]
      return (state.reopener.take(), state.device)
    }
    reopener?.end()
    link.ports.removeAll()
    if !hasStarted.withLock({ $0 }) { device?.close() }
    let error: (any Error)? = if case .failure(let error) = outcome { error } else { nil }
    for port in ports { port.conclude(error) }
  }
}
