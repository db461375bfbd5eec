import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// The open capture devices of a recorder.
///
/// The first user of a device selects the rate, channels, and buffering: a recording selects the
/// values of its file, and a capture selects values that suit all users. Each user converts from
/// the device's format and counts its own frames.
typealias CaptureDevices = DevicePool<CaptureThread>

/// One user's capture from its opening to its end; it can be stopped at any time.
final class CaptureSession: Sendable {
  /// Makes the consumer when the device is open, on the thread that will read.
  ///
  /// `storing` are the threads that flush and complete files; nil if the control thread reads.
  typealias MakeConsumer =
    @Sendable (_ device: PCMConfiguration, _ storing: ThreadPool?) throws -> any CaptureConsumer

  // The lock is held for a few instructions by the session and by callers that stop it.
  private let state = Mutex<
    (
      isStopping: Bool, opening: Task<CaptureDevices.Runtime, any Error>?,
      running: (port: CapturePort, device: CaptureDevices.Runtime)?
    )
  >((false, nil, nil))
  private let gate = Gate()
  private let outcome = Mutex<Result<Void, AudioRecorderError>>(.success(()))
  private let devices: CaptureDevices
  private let lockstep: Lockstep?
  /// Stops the time of a virtual card while the session begins, and from its end until the caller
  /// receives the result.
  private let hold: TimeHold?

  /// Creates a session; `lockstep` keeps a virtual card's test clock in step with the capture.
  init(on devices: CaptureDevices, lockstep: Lockstep? = nil) {
    (self.devices, self.lockstep) = (devices, lockstep)
    hold = TimeHold(lockstep, "a recording or capture that begins or ends")
    hold?.begin()
  }

  /// Lets the time of a virtual card continue after the caller has received the result.
  func releaseTime() {
    lockstep?.expectReaction()
    hold?.end()
  }

  /// Opens the device and starts the consumer; returns when the consumer runs or could not be
  /// started.
  ///
  /// A session that is stopped before its device is open ends without an error and without a
  /// consumer.
  ///
  /// With `threads`, a task on them reads, and the consumer may block. Without them, the device's
  /// control thread reads.
  func start(
    _ opening: DeviceOpening<CaptureThread>, on threads: RecordingThreads? = nil,
    makeConsumer: @escaping MakeConsumer
  ) async {
    do {
      guard let device = try await open(opening) else { return end(.success(())) }
      guard let threads else { return readOnControlThread(of: device, makeConsumer) }
      do {
        let (reading, storing) = (try threads.writing.pool(), try threads.storing.pool())
        Task(executorPreference: reading) { [self] in
          await read(from: device, on: reading, storing: storing, makeConsumer)
        }
      } catch {
        await devices.release(device)
        throw error
      }
    } catch {
      end(.failure(error))
    }
  }

  /// Ends the capture; audio captured so far is delivered.
  func stop() {
    let (opening, running) = state.withLock { state in
      state.isStopping = true
      return (state.opening, state.running)
    }
    opening?.cancel()
    running?.port.stop()
    running?.device.wake()
  }

  /// Makes the consumer process the audio captured so far; returns the number of captured blocks.
  func nudge() -> Int {
    guard let port = state.withLock({ $0.running?.port }) else { return 0 }
    defer { port.wakeReader() }
    return port.blocks.totalWritten
  }

  /// Returns when the consumer is complete and the device is released.
  func waitUntilClosed() async {
    await gate.wait()
  }

  /// Returns when the consumer is complete and the device is released; throws the error that ended
  /// the session.
  func ended() async throws(AudioRecorderError) {
    await waitUntilClosed()
    try outcome.withLock { $0 }.get()
  }

  /// Returns the open device; nil if the session was stopped before the device was open.
  private func open(_ opening: DeviceOpening<CaptureThread>) async throws -> CaptureDevices.Runtime?
  {
    let task = state.withLock { [devices] state in
      if !state.isStopping { state.opening = Task { try await devices.acquire(opening) } }
      return state.opening
    }
    do {
      return try await task?.value
    } catch is CancellationError where state.withLock({ $0.isStopping }) {
      return nil
    }
  }

  /// Returns the gate of a port's end, and the closure that ends the session.
  ///
  /// The device is released as soon as the gate is open, because a consumer may take long to process
  /// the frames in the ring. The session ends when the device is released.
  private func ending(
    with device: CaptureDevices.Runtime
  ) -> (portEnded: Gate, close: @Sendable (Result<Void, any Error>) -> Void) {
    let portEnded = Gate()
    let release = Task { [devices] in
      await portEnded.wait()
      await devices.release(device)
    }
    let close: @Sendable (Result<Void, any Error>) -> Void = { [self] outcome in
      hold?.begin()
      portEnded.open()
      Task {
        await release.value
        end(outcome)
      }
    }
    return (portEnded, close)
  }

  private func makePort(
    _ device: CaptureDevices.Runtime, for consumer: any CaptureConsumer, ended: Gate
  ) -> CapturePort {
    CapturePort(
      of: device.configuration, onDeviceLoss: consumer.onDeviceLoss, ended: ended,
      link: device.server.link)
  }

  /// Creates the consumer and passes the device's audio to it until the end, on the threads of
  /// `reading`; completes the consumer on those of `storing`.
  private func read(
    from device: CaptureDevices.Runtime, on reading: ThreadPool, storing: ThreadPool,
    _ makeConsumer: MakeConsumer
  ) async {
    let (portEnded, close) = ending(with: device)
    do {
      let consumer = try makeConsumer(device.configuration, storing)
      let port = makePort(device, for: consumer, ended: portEnded)
      let captured = await drain(port, of: device, into: consumer, on: reading)
      await withTaskExecutorPreference(storing) { close(complete(consumer, captured)) }
    } catch {
      close(.failure(error))
    }
  }

  /// Passes the audio of a port to the consumer until the end; waits while there is none.
  private func drain(
    _ port: CapturePort, of device: CaptureDevices.Runtime, into consumer: any CaptureConsumer,
    on reading: ThreadPool
  ) async -> Result<Void, any Error> {
    let wakeUp = TaskWakeUp()
    // Stops the time of a virtual card from a wake-up until the waiting audio is processed.
    let hold = TimeHold(lockstep, "a user of a capture")
    hold?.begin()
    port.setReader {
      hold?.begin()
      wakeUp.signal()
    }
    add(port, to: device)
    defer {
      remove(port, from: device)
      // Lets the time of a virtual card continue, because the port has ended.
      hold?.close()
    }
    var reader = BlockReader(port)
    do {
      while true {
        let wakeUps = hold?.count
        guard try reader.read(into: consumer, madeRoom: { device.wake() }) else { break }
        if reader.canWait(for: consumer) {
          hold?.end(at: wakeUps)
          await wakeUp.wait()
        } else {
          await reading.yield()
        }
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Creates the consumer and lets the control thread pass the device's audio to it until the end.
  private func readOnControlThread(
    of device: CaptureDevices.Runtime, _ makeConsumer: MakeConsumer
  ) {
    let (portEnded, close) = ending(with: device)
    do {
      let consumer = try makeConsumer(device.configuration, nil)
      let port = makePort(device, for: consumer, ended: portEnded)
      readOnControlThread(port, of: device, into: consumer, close)
    } catch {
      close(.failure(error))
    }
  }

  /// Lets the control thread pass the audio of a port to the consumer, and call `close` at the end.
  private func readOnControlThread(
    _ port: CapturePort, of device: CaptureDevices.Runtime,
    into consumer: sending any CaptureConsumer,
    _ close: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    // One thread at a time uses the reader: the control thread, or this one if the port cannot be
    // added. The lock makes the closure `Sendable`.
    let reading = Mutex<(BlockReader, any CaptureConsumer)?>((BlockReader(port), consumer))
    port.setReader { [self] in
      reading.withLock { reading in
        guard case (var reader, let consumer)? = reading.take() else { return }
        let captured = Result { try reader.read(into: consumer) { device.wake() } }
        if case .success(true) = captured {
          reading = (reader, consumer)
          return
        }
        remove(port, from: device)
        close(complete(consumer, captured.map { _ in }))
      }
    }
    add(port, to: device)
  }

  /// Adds a port to its device; if the device already has `CaptureThread.limit` ports, the port
  /// ends with `AudioRecorderError.device`.
  private func add(_ port: CapturePort, to device: CaptureDevices.Runtime) {
    guard let place = device.reserve() else {
      return port.conclude(
        AudioRecorderError.device(
          device.configuration.device,
          reason: "\(CaptureThread.limit) recordings and captures use it already; "
            + "stop some of them"))
    }
    let isStopping = state.withLock { state in
      state.running = (port, device)
      return state.isStopping
    }
    if isStopping { port.stop() }
    // If the port ends before `add` returns, `remove` begins `hold` again. The count is read before
    // `add`, so `end(at:)` does not end the second hold.
    let holds = hold?.count
    device.add(port, in: place)
    hold?.end(at: holds)
  }

  /// Removes a port that has ended, or whose consumer has ended the capture.
  private func remove(_ port: CapturePort, from device: CaptureDevices.Runtime) {
    state.withLock { $0.running = nil }
    hold?.begin()
    port.stop()
    device.wake()
  }

  /// Completes a consumer after the end of its audio; returns the first error.
  private func complete(
    _ consumer: any CaptureConsumer, _ captured: Result<Void, any Error>
  ) -> Result<Void, any Error> {
    let finished = Result { try consumer.finish() }
    return captured.flatMap { finished }
  }

  /// Ends the session; `Recording` also calls it for a session that could not begin.
  func end(_ result: Result<Void, any Error>) {
    hold?.begin()
    outcome.withLock { $0 = result.mapError(AudioRecorderError.init) }
    gate.open()
  }
}

extension DeviceOpening<CaptureThread> {
  /// Creates a request to open a microphone in any format, because each user converts the audio.
  init(_ request: PCMRequest, on soundCard: SoundCard, clock: any Clock<Duration>) {
    self.init(request, convertsAnyFormat: true, clock: clock, on: soundCard) { soundCard, request in
      MonitoredCapture(try await soundCard.openCapture(request: request))
    } makeServer: { device, lockstep in
      let link = try DeviceLink<CapturePort>(limit: CaptureThread.limit, lockstep: lockstep)
      return CaptureThread(pcm: device, link: link)
    }
  }
}
