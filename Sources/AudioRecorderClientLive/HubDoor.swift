/// Who uses an open capture device, and when it is to be closed; without threads or devices.
///
/// Between opening a device and taking its audio a user holds a lease: the device stays open for
/// it. Once closed, the door lets nobody in, and the next user opens the device anew.
struct HubDoor: Equatable {
  /// What one who joins has to do.
  enum Joining: Equatable {
    /// Run the capture: nobody does.
    case drive
    /// Nothing: the one who runs it gives it the audio.
    case ride
    /// Nothing more comes: the capture has ended meanwhile.
    case tooLate
  }

  /// What one who goes leaves behind.
  enum Leaving: Equatable {
    /// Others use the device.
    case goOn
    /// No one else uses it: the capture ends.
    case endCapture
    /// No one else uses it, and the capture never ran: the device is to be closed.
    case closeDevice
  }

  private(set) var isClosed = false
  private var leases = 0
  private var members: Set<Int> = []
  private var isDriven = false

  /// Whether nobody uses the device or is about to.
  var isAbandoned: Bool { members.isEmpty && leases == 0 }

  /// Lets a user in; false where it is closed.
  mutating func lease() -> Bool {
    if !isClosed { leases += 1 }
    return !isClosed
  }

  /// A lease is given back unused.
  mutating func release() -> Leaving {
    leases -= 1
    return close()
  }

  /// A lease becomes a membership.
  mutating func join(_ member: Int) -> Joining {
    leases -= 1
    guard !isClosed else { return .tooLate }
    members.insert(member)
    defer { isDriven = true }
    return isDriven ? .ride : .drive
  }

  /// A member wants to end: with `endCapture` the whole capture does, because it is the last one.
  mutating func stop(_ member: Int) -> Leaving {
    guard members == [member], leases == 0 else { return .goOn }
    isClosed = true
    return .endCapture
  }

  /// A member has gone.
  mutating func leave(_ member: Int) -> Leaving {
    members.remove(member)
    return close()
  }

  /// The capture has ended.
  mutating func end() {
    isClosed = true
  }

  private mutating func close() -> Leaving {
    guard isAbandoned else { return .goOn }
    isClosed = true
    return isDriven ? .endCapture : .closeDevice
  }
}
