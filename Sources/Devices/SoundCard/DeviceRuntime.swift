package import AudioCore
package import AudioThreads
import ClientDependencies
import Synchronization

/// The work of an audio thread with a device, for one direction.
///
/// It belongs to one thread at a time: the audio thread of the open device, or the control thread
/// while the device is lost. `Heartbeat` transfers the ownership: after a device call throws, the
/// audio thread no longer accesses it.
package protocol PortServer: AnyObject, Sendable {
  /// A user of the device.
  associatedtype Port: DevicePort
  /// The device.
  associatedtype Device: MonitoredDevice

  /// The name of the audio thread.
  static var threadName: String { get }

  /// The connections to the control thread.
  var link: DeviceLink<Port> { get }

  /// Serves the ports until `quit` or the device's end; throws if the device is lost.
  func run() throws(SoundCardError)

  /// Records that the device is lost and its thread no longer serves it.
  ///
  /// - Parameter time: the device's time at the end of its thread; nil if a call hangs.
  func lose(at time: Duration?)

  /// Performs commands while the device is lost; false after `quit`.
  func serveInSilence() -> Bool

  /// Continues with a device that returned after `gap`; called before its thread runs.
  ///
  /// - Throws: if the device no longer suits its ports.
  func begin(on device: Device, after gap: Duration) throws(SoundCardError)
}

/// The parameters with which a pool opens a device, and reopens it after a loss.
package struct DeviceOpening<Server: PortServer>: Sendable {
  /// The requested configuration.
  package var request: PCMRequest
  /// Whether users can convert from any format and buffering of the device.
  package let convertsAnyFormat: Bool
  /// The time for which the device stays open without users.
  package let idleTime: Duration
  /// The clock for the idle time and for the wait of ports for a lost device.
  package let clock: any Clock<Duration>
  private let soundCard: SoundCard
  private let openDevice: @Sendable (SoundCard, PCMRequest) async throws -> Server.Device
  private let makeServer: @Sendable (Server.Device, Lockstep?) throws -> Server
  /// The dependencies of the first opening, used to reopen the device on another thread.
  private let dependencies = withEscapedDependencies { $0 }

  /// Creates an opening with the caller's dependencies.
  package init(
    _ request: PCMRequest, convertsAnyFormat: Bool, idleTime: Duration = .zero,
    clock: any Clock<Duration>, on soundCard: SoundCard,
    openDevice: @escaping @Sendable (SoundCard, PCMRequest) async throws -> Server.Device,
    makeServer: @escaping @Sendable (Server.Device, Lockstep?) throws -> Server
  ) {
    (self.request, self.convertsAnyFormat) = (request, convertsAnyFormat)
    (self.idleTime, self.clock, self.soundCard) = (idleTime, clock, soundCard)
    (self.openDevice, self.makeServer) = (openDevice, makeServer)
  }

  func open() async throws -> DeviceRuntime<Server> {
    let device = try await openDevice(soundCard, request)
    do {
      return try DeviceRuntime(device, try makeServer(device, lockstep), reopening: self)
    } catch {
      device.close()
      throw error
    }
  }

  private var lockstep: Lockstep? { soundCard.lockstep }

  /// Begins to wait for the lost device; `notify` is called on any thread when a result is
  /// available.
  fileprivate func watch(
    _ format: AudioFormat, notify: @escaping @Sendable () -> Void
  ) -> DeviceReopener<Server.Device> {
    var request = request
    request.openingLimit = nil
    if !convertsAnyFormat { request.format = format }
    return DeviceReopener(
      open: { [dependencies, openDevice, soundCard, request] in
        try await dependencies.yield { try await openDevice(soundCard, request) }
      },
      close: { $0.close() }, changes: soundCard.deviceChanges, clock: clock, lockstep: lockstep,
      notify: notify)
  }
}

/// One open device with its ports, its audio thread, and its control thread.
///
/// The control thread reports the events of the audio thread, detects hanging calls, and reopens a
/// lost device for the ports that wait for it.
package final class DeviceRuntime<Server: PortServer>: Sendable {
  package typealias Port = Server.Port

  private enum Place {
    case free
    /// The place is reserved for a port that is added next.
    case reserved
    case taken
    /// The port has ended, but the audio thread has not released it.
    case leaving
  }

  private struct Absence {
    let watch: DeviceReopener<Server.Device>
    /// The error of the loss.
    let error: SoundCardError
    /// Whether the device is open again; the absence ends only when the device moves frames.
    var isDeviceOpen = false
    var gap = Duration.zero
    /// The serial numbers of the ports that were informed of the loss.
    var informed: Set<Int> = []
  }

  private struct State {
    var places: [Place]
    /// The ports by place; a serial number distinguishes a port from earlier ports in the same
    /// place.
    var ports: [Int: (port: Port, serial: Int)] = [:]
    var lastSerial = 0
    /// The open device and its audio thread; nil while the device is lost.
    var device: Server.Device?
    var audioThread: DedicatedThread?
    /// The result of that thread, and the device's time at its end.
    var threadEnd: (outcome: Result<Void, SoundCardError>, time: Duration)?
    /// The result of the whole runtime.
    var outcome: Result<Void, any Error>?
    var isEnding = false
    var absence: Absence?

    /// Removes a port; returns it unless its end has been reported.
    mutating func remove(_ place: Int, leaving: Bool) -> Port? {
      if places[place] == .taken || !leaving { places[place] = leaving ? .leaving : .free }
      guard let (port, serial) = ports.removeValue(forKey: place) else { return nil }
      absence?.informed.remove(serial)
      absence?.watch.leave(serial)
      return port
    }
  }

  /// The configuration of the device's first opening.
  package let configuration: PCMConfiguration
  /// The work of the audio thread.
  package let server: Server
  private let link: DeviceLink<Port>
  private let reopening: DeviceOpening<Server>?
  // The lock is held for a few instructions by the control thread and users, never by the audio
  // thread.
  private let state: Mutex<State>
  // The ring of commands supports one writer, so the lock is held for a write, and for the start of
  // the audio thread.
  private let commands = Mutex((hasStarted: false, hasQuit: false))
  /// Opens at the end of the control thread.
  private let ended = Gate()

  /// Starts the control thread; the audio thread starts with the first port.
  ///
  /// - Parameter reopening: the parameters to reopen a lost device; nil if a loss ends the runtime.
  package init(
    _ device: Server.Device, _ server: Server, reopening: DeviceOpening<Server>? = nil
  ) throws(ThreadError) {
    (self.server, link, self.reopening) = (server, server.link, reopening)
    configuration = device.configuration
    let places = [Place](repeating: .free, count: server.link.ports.limit)
    state = Mutex(State(places: places, device: device))
    _ = try DedicatedThread.start(name: "syrinx-control") { [self] in
      control()
      ended.open()
    }
  }

  // MARK: Any thread

  /// Whether the device has ended or failed permanently and serves no port.
  package var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Whether the device is lost and may return.
  package var isAway: Bool { state.withLock { $0.absence?.isDeviceOpen == false } }

  /// Reserves a place for a port; nil if all are in use.
  ///
  /// Ports that a hanging thread has not released keep their places.
  package func reserve() -> Int? {
    state.withLock { state in
      guard let place = state.places.firstIndex(of: .free) else { return nil }
      state.places[place] = .reserved
      return place
    }
  }

  /// Serves a port in its reserved place; after the device's end, the port is concluded at once.
  package func add(_ port: Port, in place: Int) {
    let refusal: Result<Void, any Error>? = commands.withLock { commands in
      if let refusal = admit(port, in: place) { return refusal }
      guard !commands.hasStarted, let device = state.withLock({ $0.device }) else { return nil }
      commands.hasStarted = true
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
      // The control thread sleeps without a timeout while there is no port.
      link.wakeControl()
    case .success: port.conclude(nil)
    case .failure(let error): port.conclude(error)
    }
  }

  /// Wakes the audio thread, because there is a command or a port has changed.
  package func wake() {
    guard let device = state.withLock({ $0.device }) else { return link.wakeControl() }
    // Only the audio thread ends the hold, so it is begun only if that thread has started.
    if commands.withLock({ $0.hasStarted }) { link.commandHold?.begin() }
    device.waker.signal()
    // If the device was lost meanwhile, the control thread performs the commands and ends the hold.
    if state.withLock({ $0.device !== device }) { link.wakeControl() }
  }

  /// Ends the threads and closes the device; returns when that is done.
  ///
  /// It does not wait for a device that is lost or hangs; the device's thread closes it when its
  /// call returns.
  package func close() async {
    quit()
    await ended.wait()
    await state.withLock { $0.audioThread }?.join()
  }

  /// Makes the threads close the device and end.
  package func quit() {
    state.withLock { $0.isEnding = true }
    commands.withLock { commands in
      if !commands.hasQuit { commands.hasQuit = link.commands.tryWrite(.quit) }
    }
    wake()
    link.wakeControl()
  }

  /// Adds a port; returns the result of the device instead if it has ended.
  ///
  /// The port and its command are added under one lock, so they become visible together.
  private func admit(_ port: Port, in place: Int) -> Result<Void, any Error>? {
    state.withLock { state in
      var refusal = state.outcome
      if state.isEnding, refusal == nil {
        refusal = .failure(SoundCardError.deviceLost(configuration.device))
      }
      if let absence = state.absence, !absence.isDeviceOpen, port.onDeviceLoss == .fail {
        refusal = refusal ?? .failure(absence.error)
      }
      guard refusal == nil else {
        state.places[place] = .free
        return refusal
      }
      state.lastSerial += 1
      state.places[place] = .taken
      state.ports[place] = (port, state.lastSerial)
      link.ports.put(port, in: place)
      link.commands.tryWrite(.add(place))
      return nil
    }
  }

  /// Starts the audio thread of a device.
  private func drive(_ device: Server.Device) throws(ThreadError) {
    state.withLock { $0.device = device }
    // This holds the time of a virtual card until the thread has taken over the device.
    link.commandHold?.begin()
    let thread = try DedicatedThread.start(name: Server.threadName) { [self] in
      device.adoptThread()
      let outcome = Result { () throws(SoundCardError) in try server.run() }
      let time = device.elapsed
      device.close(after: outcome) { outcome in
        // A call of a device that was replaced meanwhile has no effect.
        state.withLock { if $0.device === device { $0.threadEnd = (outcome, time) } }
        link.wakeControl()
      }
    }
    // The device may have been lost already.
    state.withLock { if $0.device === device { $0.audioThread = thread } }
  }

  /// Sets the result of the runtime; the first result counts.
  private func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    link.wakeControl()
  }

  // MARK: The control thread

  private func control() {
    var watch = HeartbeatWatch()
    // After this thread has ended, no other thread would release these holds.
    defer {
      link.newsHold?.close()
      link.commandHold?.close()
    }
    while true {
      let newsCount = link.newsHold?.count
      // The end must be read before the ring: the audio thread writes its last event before its
      // end, so a ring that is read later contains all events.
      let threadEnd = state.withLock { $0.threadEnd.take() }
      passOnEvents()
      if let threadEnd {
        watch = HeartbeatWatch()
        switch threadEnd.outcome {
        case .success: end(.success(()))
        case .failure(let error): lose(error, at: threadEnd.time)
        }
      }
      serveAbsence()
      if state.withLock({ $0.isEnding }), !commands.withLock({ $0.hasStarted }) {
        end(.success(()))
      }
      if let outcome = state.withLock({ $0.outcome }) { return finish(outcome) }
      link.newsHold?.end(at: newsCount)
      waitForNews(&watch)
    }
  }

  private var ports: [Port] { state.withLock { $0.ports.values.map(\.port) } }

  /// Sleeps until an event; while there are ports, a hanging device is an event, too.
  private func waitForNews(_ watch: inout HeartbeatWatch) {
    let device = state.withLock { $0.isEnding || !$0.ports.isEmpty ? $0.device : nil }
    guard let device else {
      link.news.wait()
      return
    }
    do throws(SoundCardError) {
      while try !device.monitor(until: link.news, &watch, isEnding: isEnding) {}
    } catch {
      watch = HeartbeatWatch()
      lose(error, at: nil)
    }
  }

  /// Whether every port was stopped, or the threads should end.
  private var isEnding: Bool {
    state.withLock { $0.isEnding || $0.ports.values.allSatisfy(\.port.isStopping) }
  }

  private func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let place): release(place)
      case .starved(let place, _), .silence(let place, _):
        state.withLock { $0.ports[place]?.port }?.report(event)
      case .limited: for port in ports { port.report(event) }
      case .returned: endAbsence()
      }
    }
    for port in ports { port.reportNews() }
  }

  /// Handles the release of a port by the audio thread; the port's end may have been reported
  /// before.
  private func release(_ place: Int) {
    let port = state.withLock { state in
      link.ports.put(nil, in: place)
      return state.remove(place, leaving: false)
    }
    port?.conclude(nil)
  }

  /// Ends a port before the audio thread releases it.
  private func end(_ place: Int, _ error: any Error) {
    state.withLock { $0.remove(place, leaving: true) }?.conclude(error)
    // Wakes the audio thread, which releases the port.
    link.wakeControl()
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    let ports = ports
    let (absence, device) = state.withLock { state in
      for place in state.places.indices {
        link.ports.put(nil, in: place)
        state.places[place] = .free
      }
      state.ports = [:]
      return (state.absence.take(), state.device)
    }
    absence?.watch.end()
    link.ports.removeAll()
    if !commands.withLock({ $0.hasStarted }) { device?.close() }
    let error: (any Error)? = if case .failure(let error) = outcome { error } else { nil }
    for port in ports { port.conclude(error) }
  }

  // MARK: A lost device

  /// Handles the loss of the device, after its thread has left the server; the device is reopened
  /// if a port waits.
  private func lose(_ error: any Error, at time: Duration?) {
    state.withLock { ($0.device, $0.audioThread) = (nil, nil) }
    link.commandHold?.end()
    // Events from before the loss are reported first.
    passOnEvents()
    server.lose(at: time)
    guard let reopening, let error = error as? SoundCardError, error.isLoss,
      ports.contains(where: { $0.onDeviceLoss != .fail })
    else { return end(.failure(error)) }
    beginAbsence(error, reopening)
  }

  private func beginAbsence(_ error: SoundCardError, _ reopening: DeviceOpening<Server>) {
    // All ports that waited during the last absence may have left.
    let last = state.withLock { state in
      state.absence?.watch.isOver == true ? state.absence.take() : nil
    }
    last?.watch.end()
    let isNew = state.withLock { state in
      state.absence?.isDeviceOpen = false
      state.absence?.watch.lose()
      if state.absence != nil { return false }
      let watch = reopening.watch(configuration.format) { [link] in link.wakeControl() }
      state.absence = Absence(watch: watch, error: error)
      return true
    }
    guard isNew else { return }
    serveAbsence()
    state.withLock { $0.absence }?.watch.start()
  }

  /// While the device is lost: performs commands, informs ports, ends those that do not wait, and
  /// starts an audio thread once the device is open.
  private func serveAbsence() {
    guard let absence = state.withLock({ $0.absence }), !absence.isDeviceOpen else { return }
    guard server.serveInSilence() else { return end(.success(())) }
    passOnEvents()
    let members = state.withLock { $0.ports }
    for (place, member) in members { inform(member.port, member.serial, in: place, of: absence) }
    let expired = Set(absence.watch.popExpired())
    for (place, member) in members where expired.contains(member.serial) {
      end(place, absence.error)
    }
    if let (device, gap) = absence.watch.popDevice() { return adopt(device, after: gap, absence) }
    if absence.watch.isOver { giveUp(absence, absence.error) }
  }

  private func inform(_ port: Port, _ serial: Int, in place: Int, of absence: Absence) {
    if port.isStopping { return end(place, absence.error) }
    guard !absence.informed.contains(serial) else { return }
    guard case .wait(let limit) = port.onDeviceLoss else { return end(place, absence.error) }
    state.withLock { _ = $0.absence?.informed.insert(serial) }
    absence.watch.join(serial, atMost: limit)
    port.deviceLost()
  }

  private func adopt(_ device: Server.Device, after gap: Duration, _ absence: Absence) {
    // Ports that were informed of the loss are served before the device.
    guard server.serveInSilence() else {
      device.close()
      return end(.success(()))
    }
    do {
      try server.begin(on: device, after: gap)
      try drive(device)
      state.withLock { state in
        state.absence?.isDeviceOpen = true
        state.absence?.gap = gap
      }
    } catch {
      device.close()
      giveUp(absence, error)
    }
  }

  /// Records that a returned device moves frames.
  private func endAbsence() {
    guard let absence = state.withLock({ $0.absence.take() }) else { return }
    absence.watch.end()
    for member in state.withLock({ Array($0.ports.values) })
    where absence.informed.contains(member.serial) {
      member.port.deviceReturned(after: absence.gap)
    }
  }

  private func giveUp(_ absence: Absence, _ error: any Error) {
    state.withLock { $0.absence = nil }
    absence.watch.end()
    end(.failure(error))
  }
}
