package import AudioCore
package import AudioThreads
import ClientDependencies
import Synchronization

/// What an audio thread does with a device, for one direction.
///
/// It belongs to one thread at a time: the audio thread of the open device, or the control thread while
/// the device is lost. `Heartbeat` hands it over: after a call of the device that throws, the audio
/// thread touches nothing here.
package protocol DeviceDriver: AnyObject, Sendable {
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

  /// Notes that the device is lost; its thread serves it no more.
  ///
  /// - Parameter time: the device's time at the end of its thread; nil if a call hangs.
  func lose(at time: Duration?)

  /// Performs commands while the device is lost; false after `quit`.
  func serveInSilence() -> Bool

  /// Goes on with a device that returned after `gap`, before its thread runs.
  ///
  /// - Throws: if the device no longer suits its ports.
  func begin(on device: Device, after gap: Duration) throws(SoundCardError)
}

/// How a pool opens a device, and opens it again after a loss.
package struct DeviceOpening<Driver: DeviceDriver>: Sendable {
  /// What to ask of the device.
  package var request: PCMRequest
  /// Whether users convert from whatever format and buffering the device has.
  package let convertsAnyFormat: Bool
  /// How long the device stays open without users.
  package let idleTime: Duration
  /// Measures the idle time, and how long ports wait for a lost device.
  package let clock: any Clock<Duration>
  private let soundCard: SoundCard
  private let openDevice: @Sendable (SoundCard, PCMRequest) async throws -> Driver.Device
  private let makeDriver: @Sendable (Driver.Device, Lockstep?) throws -> Driver
  /// The dependencies of the first opening, for a device that is opened again on another thread.
  private let dependencies = withEscapedDependencies { $0 }

  /// Creates an opening with the caller's dependencies.
  package init(
    _ request: PCMRequest, convertsAnyFormat: Bool, idleTime: Duration = .zero,
    clock: any Clock<Duration>, on soundCard: SoundCard,
    openDevice: @escaping @Sendable (SoundCard, PCMRequest) async throws -> Driver.Device,
    makeDriver: @escaping @Sendable (Driver.Device, Lockstep?) throws -> Driver
  ) {
    (self.request, self.convertsAnyFormat) = (request, convertsAnyFormat)
    (self.idleTime, self.clock, self.soundCard) = (idleTime, clock, soundCard)
    (self.openDevice, self.makeDriver) = (openDevice, makeDriver)
  }

  func open() async throws -> DeviceRuntime<Driver> {
    let device = try await openDevice(soundCard, request)
    do {
      return try DeviceRuntime(device, try makeDriver(device, lockstep), reopening: self)
    } catch {
      device.close()
      throw error
    }
  }

  private var lockstep: Lockstep? { soundCard.lockstep }

  /// Begins to wait for the lost device; `notify` is called, on any thread, when there is something to
  /// take.
  fileprivate func watch(
    _ format: AudioFormat, notify: @escaping @Sendable () -> Void
  ) -> DeviceReopener<Driver.Device> {
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
/// The control thread reports what the audio thread observes, finds calls that hang, and opens a lost
/// device again for the ports that wait for it.
package final class DeviceRuntime<Driver: DeviceDriver>: Sendable {
  package typealias Port = Driver.Port

  private enum Place {
    case free
    /// For the port that is added next.
    case reserved
    case taken
    /// The port's end was reported while the audio thread still has the port, and its events may refer
    /// to it.
    case leaving
  }

  private struct Absence {
    let watch: DeviceReopener<Driver.Device>
    /// The error of the loss.
    let error: SoundCardError
    /// Whether no device is open; the absence ends only when an opened device moves frames.
    var isAway = true
    var gap = Duration.zero
    /// The ports that know of the loss, by place.
    var informed: Set<Int> = []
  }

  private struct State {
    var places: [Place]
    var ports: [Int: Port] = [:]
    /// The open device and its audio thread; nil while the device is lost.
    var device: Driver.Device?
    var audioThread: DedicatedThread?
    /// How that thread ended, and when by the device's time.
    var threadEnd: (outcome: Result<Void, SoundCardError>, time: Duration)?
    /// How everything ended.
    var outcome: Result<Void, any Error>?
    var isEnding = false
    var absence: Absence?

    /// Removes a port; returns it unless its end was reported before.
    mutating func remove(_ place: Int, leaving: Bool) -> Port? {
      absence?.informed.remove(place)
      absence?.watch.leave(place)
      if places[place] == .taken || !leaving { places[place] = leaving ? .leaving : .free }
      return ports.removeValue(forKey: place)
    }
  }

  /// The configuration of the device's first opening.
  package let configuration: PCMConfiguration
  /// The work of the audio thread.
  package let driver: Driver
  private let link: DeviceLink<Port>
  private let reopening: DeviceOpening<Driver>?
  // Held for a few instructions by the control thread and users; the audio thread never takes it.
  private let state: Mutex<State>
  // The ring of commands takes one writer: held for a write, and for the start of the audio thread.
  private let commands = Mutex((hasStarted: false, hasQuit: false))
  /// Opens at the end of the control thread.
  private let ended = Gate()

  /// Starts the control thread; the audio thread starts with the first port.
  ///
  /// - Parameter reopening: how a lost device is opened again; nil if a loss ends everything.
  package init(
    _ device: Driver.Device, _ driver: Driver, reopening: DeviceOpening<Driver>? = nil
  ) throws(ThreadError) {
    (self.driver, link, self.reopening) = (driver, driver.link, reopening)
    configuration = device.configuration
    let places = [Place](repeating: .free, count: driver.link.ports.limit)
    state = Mutex(State(places: places, device: device))
    _ = try DedicatedThread.start(name: "syrinx-control") { [self] in
      control()
      ended.open()
    }
  }

  // MARK: Any thread

  /// Whether the device has failed for good.
  package var hasFailed: Bool {
    if case .failure = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// Whether the device is lost and may return.
  package var isAway: Bool { state.withLock { $0.absence?.isAway == true } }

  /// Reserves a place for a port; nil if all are taken.
  ///
  /// Ports that a hanging thread has not released keep theirs.
  package func reserve() -> Int? {
    state.withLock { state in
      guard let place = state.places.firstIndex(of: .free) else { return nil }
      state.places[place] = .reserved
      return place
    }
  }

  /// Serves a port in its reserved place; false if the device has failed or is closing.
  package func add(_ port: Port, in place: Int) -> Bool {
    guard admit(port, in: place) else { return false }
    commands.withLock { commands in
      link.commands.tryWrite(.add(place))
      guard !commands.hasStarted, !commands.hasQuit else { return }
      commands.hasStarted = true
      guard let device = state.withLock({ $0.device }) else { return }
      do { try drive(device) } catch { end(.failure(error)) }
    }
    wake()
    // The control thread sleeps without a timeout while there is no port.
    link.wakeControl()
    return true
  }

  /// Wakes the audio thread: there is a command, or something changed in a port.
  package func wake() {
    guard let device = state.withLock({ $0.device }) else { return link.wakeControl() }
    link.commandHold?.begin()
    device.waker.signal()
    // Nobody would end the hold.
    if !commands.withLock({ $0.hasStarted }) { link.commandHold?.end() }
  }

  /// Ends the threads and closes the device; returns when that is done.
  ///
  /// A device that is lost or hangs is not waited for: its thread closes it when its call returns.
  package func close() async {
    quit()
    await ended.wait()
    await state.withLock { $0.audioThread }?.join()
  }

  /// Lets the threads end and close the device.
  package func quit() {
    state.withLock { $0.isEnding = true }
    commands.withLock { commands in
      if !commands.hasQuit { commands.hasQuit = link.commands.tryWrite(.quit) }
    }
    wake()
    link.wakeControl()
  }

  private func admit(_ port: Port, in place: Int) -> Bool {
    state.withLock { state in
      let isLost = state.absence?.isAway == true && port.onDeviceLoss == .fail
      guard state.outcome == nil, !state.isEnding, !isLost else {
        state.places[place] = .free
        return false
      }
      state.places[place] = .taken
      state.ports[place] = port
      link.ports.put(port, in: place)
      return true
    }
  }

  /// Starts the audio thread of a device.
  private func drive(_ device: Driver.Device) throws(ThreadError) {
    state.withLock { $0.device = device }
    // It holds the time of a virtual card until the thread has taken it over.
    link.commandHold?.begin()
    let thread = try DedicatedThread.start(name: Driver.threadName) { [self] in
      device.adoptThread()
      let outcome = Result { () throws(SoundCardError) in try driver.run() }
      let time = device.elapsed
      device.close(after: outcome) { outcome in
        state.withLock { $0.threadEnd = (outcome, time) }
        link.wakeControl()
      }
    }
    // The device may have been lost already.
    state.withLock { if $0.device === device { $0.audioThread = thread } }
  }

  /// Sets how everything ends; the first outcome counts.
  private func end(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    link.wakeControl()
  }

  // MARK: The control thread

  private func control() {
    var watch = HeartbeatWatch()
    // From now on no thread would end these holds.
    defer {
      link.newsHold?.close()
      link.commandHold?.close()
    }
    while true {
      let newsCount = link.newsHold?.count
      // The end must be read before the ring. The audio thread writes its last event before its end, so
      // that a ring read after the end holds all of its events.
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

  private var ports: [Int: Port] { state.withLock { $0.ports } }

  /// Sleeps until there is news; while there are ports, a device that hangs is news, too.
  private func waitForNews(_ watch: inout HeartbeatWatch) {
    let device = state.withLock { $0.isEnding || !$0.ports.isEmpty ? $0.device : nil }
    guard let monitor = device?.monitor else {
      link.news.wait()
      return
    }
    do throws(SoundCardError) {
      while try !monitor.wait(for: link.news, &watch, isEnding: isEnding) {}
    } catch {
      watch = HeartbeatWatch()
      lose(error, at: nil)
    }
  }

  /// Whether every port was stopped, or the threads are to end.
  private var isEnding: Bool {
    state.withLock { $0.isEnding || $0.ports.values.allSatisfy(\.isStopping) }
  }

  private func passOnEvents() {
    while let event = link.events.tryRead() {
      switch event {
      case .finished(let place): release(place)
      case .starved(let place, _), .silence(let place, _): ports[place]?.report(event)
      case .limited: for port in ports.values { port.report(event) }
      case .returned: endAbsence()
      }
    }
    for port in ports.values { port.reportNews() }
  }

  /// The audio thread has released a port, whose end may have been reported before.
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
    // The audio thread releases the port when it runs again.
    link.wakeControl()
  }

  private func finish(_ outcome: Result<Void, any Error>) {
    let (absence, ports, device) = state.withLock { state in
      for place in state.places.indices {
        link.ports.put(nil, in: place)
        state.places[place] = .free
      }
      defer { state.ports = [:] }
      return (state.absence.take(), state.ports, state.device)
    }
    absence?.watch.end()
    link.ports.removeAll()
    if !commands.withLock({ $0.hasStarted }) { device?.close() }
    let error: (any Error)? = if case .failure(let error) = outcome { error } else { nil }
    for port in ports.values { port.conclude(error) }
  }

  // MARK: A lost device

  /// The device is lost, and its thread has released the driver; if a port waits, the device is opened
  /// again.
  private func lose(_ error: any Error, at time: Duration?) {
    state.withLock { ($0.device, $0.audioThread) = (nil, nil) }
    link.commandHold?.end()
    // Events from before the loss come first.
    passOnEvents()
    driver.lose(at: time)
    guard let reopening, let error = error as? SoundCardError, error.isLoss,
      ports.values.contains(where: { $0.onDeviceLoss != .fail })
    else { return end(.failure(error)) }
    beginAbsence(error, reopening)
  }

  private func beginAbsence(_ error: SoundCardError, _ reopening: DeviceOpening<Driver>) {
    // The ports that waited during the last absence may all have given up.
    let last = state.withLock { state in
      state.absence?.watch.isOver == true ? state.absence.take() : nil
    }
    last?.watch.end()
    let isNew = state.withLock { state in
      state.absence?.isAway = true
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
    guard let absence = state.withLock({ $0.absence }), absence.isAway else { return }
    guard driver.serveInSilence() else { return end(.success(())) }
    passOnEvents()
    for (place, port) in ports { inform(port, in: place, of: absence) }
    for place in absence.watch.takeExpired() { end(place, absence.error) }
    if let (device, gap) = absence.watch.takeDevice() { return take(device, after: gap, absence) }
    if absence.watch.isOver { giveUp(absence, absence.error) }
  }

  private func inform(_ port: Port, in place: Int, of absence: Absence) {
    if port.isStopping { return end(place, absence.error) }
    guard !absence.informed.contains(place) else { return }
    guard case .wait(let limit) = port.onDeviceLoss else { return end(place, absence.error) }
    state.withLock { _ = $0.absence?.informed.insert(place) }
    absence.watch.join(place, atMost: limit)
    port.deviceLost()
  }

  private func take(_ device: Driver.Device, after gap: Duration, _ absence: Absence) {
    do {
      try driver.begin(on: device, after: gap)
      try drive(device)
      state.withLock { state in
        state.absence?.isAway = false
        state.absence?.gap = gap
      }
    } catch {
      device.close()
      for place in ports.keys { end(place, error) }
      giveUp(absence, error)
    }
  }

  /// A returned device moves frames.
  private func endAbsence() {
    guard let absence = state.withLock({ $0.absence.take() }) else { return }
    absence.watch.end()
    for (place, port) in ports where absence.informed.contains(place) {
      port.deviceReturned(after: absence.gap)
    }
  }

  private func giveUp(_ absence: Absence, _ error: any Error) {
    state.withLock { $0.absence = nil }
    absence.watch.end()
    end(.failure(error))
  }
}
