package import AudioCore
package import AudioThreads
import Synchronization

/// One user of an open device: a ring that the audio thread reads or writes.
package protocol DevicePort: AnyObject, Sendable {
  /// How the port responds to the loss of its device.
  var onDeviceLoss: DeviceLossPolicy { get }

  /// Whether the user has stopped the port.
  var isStopping: Bool { get }

  /// Reports an event of the audio thread that concerns this port.
  func report(_ event: DeviceEvent)

  /// Reports, on the control thread, the changes that the audio thread has recorded in the port.
  func reportNews()

  /// Records that the device is lost and the port waits for it.
  func deviceLost()

  /// Records that the device is back after an absence of `gap`.
  func deviceReturned(after gap: Duration)

  /// Ends the port; the audio thread may still use it.
  ///
  /// - Parameter error: the cause; nil if the port was served to its end.
  func conclude(_ error: (any Error)?)
}

/// An event that the audio thread reports to the control thread; the unlabeled `Int` is the port's
/// place.
package enum DeviceEvent: BitwiseCopyable {
  /// The port has been served to its end, and its place can be freed.
  case finished(Int)
  /// The port played `frames` frames of silence because its source was late.
  case starved(Int, frames: Int)
  /// The port played `frames` frames of silence because the device was interrupted.
  case silence(Int, frames: Int)
  /// The lowest gain, since the last report, that kept the sum of all ports within ±1.
  case limited(gain: Float)
  /// A lost device moves frames again.
  case returned
}

/// The connections between a device's audio thread and other threads; neither side waits for the
/// other.
package final class DeviceLink<Port: AnyObject>: Sendable {
  /// The ports of the device.
  package let ports: PortTable<Port>
  /// The places of new ports.
  ///
  /// The ring is never full, even if the audio thread does not read it, because it has room for
  /// every place.
  package let arrivals: RingBuffer<Int>
  /// The events of the audio thread.
  package let events: RingBuffer<DeviceEvent>
  /// Wakes the control thread.
  package let news: WakeUp
  /// Stops the time of a virtual card until the control thread has forwarded all events.
  let newsHold: TimeHold?
  /// Stops the time of a virtual card until the audio thread has performed all commands.
  let commandHold: TimeHold?
  private let hasQuit = Atomic<Bool>(false)

  /// - Parameters:
  ///   - limit: the maximum number of ports at a time.
  ///   - lockstep: the `Lockstep` of a virtual card; nil for any other card.
  package init(limit: Int, lockstep: Lockstep? = nil) throws(SystemError) {
    ports = PortTable(limit: limit)
    arrivals = RingBuffer(capacity: limit, resident: limit)
    events = RingBuffer(capacity: 1_024 + limit, resident: 1_024 + limit)
    news = try WakeUp()
    newsHold = TimeHold(lockstep, "the control thread of a device")
    commandHold = TimeHold(lockstep, "a command to an audio thread")
  }

  /// Commands the audio thread to end; any thread may call it.
  package func quit() {
    hasQuit.store(true, ordering: .releasing)
  }

  /// Whether `performCommands` has something to do.
  package var hasCommands: Bool { arrivals.readable > 0 || hasQuit.load(ordering: .acquiring) }

  /// Starts to serve the new ports, on the audio thread; returns false after `quit`.
  package func performCommands() -> Bool {
    commandHold?.end()
    // `hasQuit` is read before the ring, so that ports added before `quit` are still served.
    let hasQuit = hasQuit.load(ordering: .acquiring)
    while let place = arrivals.tryRead() { ports.serve(place) }
    return !hasQuit
  }

  /// Wakes the control thread; any thread may call it.
  package func wakeControl() {
    newsHold?.begin()
    news.signal()
  }
}

/// The ports of a device, in a fixed number of places.
// `@unchecked Sendable` is safe because a place has one owner at a time: other threads, under a
// lock, until the place is in `arrivals`, and then the audio thread until it sends `finished`. The
// list of served places belongs to the audio thread.
package final class PortTable<Port: AnyObject>: @unchecked Sendable {
  /// The maximum number of ports.
  package let limit: Int
  private let places: UnsafeMutableBufferPointer<Port?>
  private let served: UnsafeMutableBufferPointer<Int>
  /// The number of ports that the audio thread serves.
  package private(set) var count = 0

  init(limit: Int) {
    self.limit = limit
    places = .allocate(capacity: limit)
    places.initialize(repeating: nil)
    served = .allocate(capacity: limit)
    served.initialize(repeating: 0)
  }

  deinit {
    places.deinitialize().deallocate()
    served.deallocate()
  }

  // MARK: Other threads

  /// Stores a port in a free place, or frees a place.
  package func put(_ port: Port?, in place: Int) {
    places[place] = port
  }

  // MARK: The audio thread

  /// The served port at an index below `count`.
  package subscript(index: Int) -> Port {
    guard let port = places[served[index]] else {
      preconditionFailure("a served place holds its port until it is reported as finished")
    }
    return port
  }

  /// Returns the place in the table of the served port at `index`.
  package func place(at index: Int) -> Int { served[index] }

  /// Starts serving the port at `place`.
  package func serve(_ place: Int) {
    served[count] = place
    count += 1
  }

  /// Stops serving the port at `index`, and returns the port's place in the table.
  package func remove(at index: Int) -> Int {
    count -= 1
    defer { served[index] = served[count] }
    return served[index]
  }

  /// Stops serving all ports.
  package func removeAll() {
    count = 0
  }
}
