import AudioThreads
import FilePaths
import Glibc

/// Announces a server in the local network through this machine's Avahi daemon.
///
/// Home Assistant finds Wyoming servers this way (Zeroconf, DNS-SD). If the daemon starts later, it
/// announces the server then. If another service has the same name, the server is announced under
/// an alternative name.
final class Announcement: @unchecked Sendable {
  /// The name to announce, and the log of the announcement.
  typealias Request = (
    name: String, report: @Sendable (_ report: SpeechServerReport) async -> Void
  )

  // These variables need no lock, because only Avahi's thread uses them while it runs: `init`
  // starts the thread last, and `withdraw` ends it first.
  private var name: String
  private var client: OpaquePointer?
  private var group: OpaquePointer?

  private let port: UInt16
  private let report: @Sendable (SpeechServerReport) -> Void
  private let avahi: Avahi
  private let poll: OpaquePointer
  /// The pointer that the callbacks get; it retains this object until `withdraw`.
  private let context: UnsafeMutablePointer<Announcement>

  /// Announces a server until the task is canceled, and reports each success and failure.
  static func run(
    name: String, port: Int, report: @Sendable (SpeechServerReport) async -> Void
  ) async {
    let (reports, reporting) = AsyncStream.makeStream(of: SpeechServerReport.self)
    do {
      let end = try WakeUp()
      // Runs on its own thread, because connecting and withdrawing wait for the daemon's responses.
      let thread = try DedicatedThread.start(name: "syrinx-zeroconf") {
        do throws(AnnouncementError) {
          let announcement = try Announcement(name: name, port: port) { reporting.yield($0) }
          end.wait()
          announcement.withdraw()
        } catch {
          reporting.yield(.notAnnounced(reason: "\(error)"))
        }
        reporting.finish()
      }
      await withTaskCancellationHandler {
        for await event in reports { await report(event) }
        await thread.join()
      } onCancel: {
        end.signal()
      }
    } catch {
      await report(.notAnnounced(reason: "\(error)"))
    }
  }

  /// Requests an announcement from the daemon; `report` is called during this call and later, on
  /// any thread.
  init(
    name: String, port: Int, library: String = "libavahi-client.so.3",
    report: @escaping @Sendable (SpeechServerReport) -> Void
  ) throws(AnnouncementError) {
    (self.name, self.port, self.report) = (name, UInt16(clamping: port), report)
    avahi = try Avahi(library: library)
    guard let poll = avahi.newPoll() else { throw AnnouncementError("out of memory") }
    self.poll = poll
    context = .allocate(capacity: 1)
    context.initialize(to: self)
    do throws(AnnouncementError) {
      try connect()
      try check(avahi.startPoll(poll))
    } catch {
      free()
      throw error
    }
  }

  /// Ends the announcement; no method may be called after it.
  func withdraw() {
    _ = avahi.stopPoll(poll)
    free()
  }

  private func free() {
    if let client { avahi.freeClient(client) }
    avahi.freePoll(poll)
    context.releaseCallbackMemory()
  }

  // MARK: The daemon

  /// Connects to the daemon, which may start later.
  private func connect() throws(AnnouncementError) {
    var code: Int32 = 0
    client = avahi.newClient(
      avahi.pollInterface(poll), Avahi.noFail,
      { client, state, userData in
        guard let client, let userData else { return }
        let announcement = userData.assumingMemoryBound(to: Announcement.self).pointee
        announcement.clientChanged(client, to: state)
      }, context, &code)
    if client == nil { try check(code) }
  }

  /// Responds to a new state of the client.
  ///
  /// Avahi makes the first call before `connect` has returned, so the property `client` may still
  /// be nil.
  private func clientChanged(_ client: OpaquePointer, to state: Int32) {
    do throws(AnnouncementError) {
      switch state {
      case Avahi.isRunning: try announce(with: client)
      // The machine's name is changing, so the service is added again once the new name is known.
      case Avahi.isRegistering, Avahi.hasCollision: if let group { _ = avahi.resetGroup(group) }
      case Avahi.isConnecting:
        throw AnnouncementError("the Avahi daemon is not running; start avahi-daemon")
      case Avahi.hasFailed where avahi.clientError(client) == Avahi.disconnected:
        // The daemon has ended, and this client cannot connect to a new daemon, so a new client is
        // created.
        avahi.freeClient(client)
        (self.client, group) = (nil, nil)
        try connect()
      case Avahi.hasFailed: try check(avahi.clientError(client))
      default: break
      }
    } catch {
      report(.notAnnounced(reason: "\(error)"))
    }
  }

  // MARK: The service

  private func announce(with client: OpaquePointer) throws(AnnouncementError) {
    if group == nil {
      group = avahi.newGroup(
        client,
        { group, state, userData in
          guard let group, let userData else { return }
          let announcement = userData.assumingMemoryBound(to: Announcement.self).pointee
          announcement.groupChanged(group, to: state)
        }, context)
    }
    guard let group else { return try check(avahi.clientError(client)) }
    try add(to: group)
  }

  private func groupChanged(_ group: OpaquePointer, to state: Int32) {
    do throws(AnnouncementError) {
      switch state {
      case Avahi.isEstablished: report(.announced(name: name))
      // A service of another machine has this name, so another name is chosen.
      case Avahi.hasCollision:
        chooseAlternativeName()
        try add(to: group)
      case Avahi.groupHasFailed: if let client { try check(avahi.clientError(client)) }
      default: break
      }
    } catch {
      report(.notAnnounced(reason: "\(error)"))
    }
  }

  private func add(to group: OpaquePointer) throws(AnnouncementError) {
    var code = avahi.addService(named: name, port: port, to: group)
    // Another service of this machine has this name, so another name is chosen.
    while code == Avahi.collision {
      chooseAlternativeName()
      code = avahi.addService(named: name, port: port, to: group)
    }
    try check(code)
    try check(avahi.commitGroup(group))
  }

  private func chooseAlternativeName() {
    guard let alternative = avahi.alternativeName(name) else { return }
    name = String(cString: alternative)
    avahi.free(alternative)
  }

  private func check(_ code: Int32) throws(AnnouncementError) {
    guard code < 0 else { return }
    let text = avahi.errorText(code).map { String(cString: $0) } ?? "error \(code)"
    throw AnnouncementError("Avahi reports: \(text)")
  }
}

/// The reason that a server is not announced.
struct AnnouncementError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The functions of libavahi-client and libavahi-common, found by name at run time, and the
/// constants of their headers.
///
/// The library is never unloaded, because D-Bus keeps state for the process.
private struct Avahi: Sendable {
  /// `AVAHI_CLIENT_NO_FAIL`: waits for a daemon that is not running yet.
  static let noFail: Int32 = 2
  static let unspecified: Int32 = -1

  // Values of `AvahiClientState`.
  static let isRegistering: Int32 = 1
  static let isRunning: Int32 = 2
  /// This value also means a collision in `AvahiEntryGroupState`.
  static let hasCollision: Int32 = 3
  static let hasFailed: Int32 = 100
  static let isConnecting: Int32 = 101

  // Values of `AvahiEntryGroupState`.
  static let isEstablished: Int32 = 2
  static let groupHasFailed: Int32 = 4

  // Error codes.
  static let collision: Int32 = -8
  static let disconnected: Int32 = -23

  typealias Handle = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Changed =
    @convention(c) (Handle?, Int32, UnsafeMutableRawPointer?) -> Void
  typealias Get = @Sendable @convention(c) (Handle) -> Int32
  typealias Free = @Sendable @convention(c) (Handle) -> Void
  typealias AddService =
    @Sendable @convention(c) (
      Handle, Int32, Int32, Int32, Text, Text, Text?, Text?, UInt16, Handle?
    ) -> Int32

  let newPoll: @Sendable @convention(c) () -> Handle?
  let pollInterface: @Sendable @convention(c) (Handle) -> Handle?
  let startPoll: Get
  let stopPoll: Get
  let freePoll: Free
  let newClient:
    @Sendable @convention(c) (
      Handle?, Int32, Changed, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>
    ) -> Handle?
  let freeClient: Free
  let clientError: Get
  let newGroup: @Sendable @convention(c) (Handle, Changed, UnsafeMutableRawPointer?) -> Handle?
  let resetGroup: Get
  let commitGroup: Get
  let alternativeName: @Sendable @convention(c) (Text) -> UnsafeMutablePointer<CChar>?
  let free: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
  let errorText: @Sendable @convention(c) (Int32) -> Text?
  private let addServiceToGroup: AddService

  /// Loads libavahi-client, which loads libavahi-common.
  init(library name: String) throws(AnnouncementError) {
    guard let library = try? LoadedLibrary(FilePath(name)) else {
      throw AnnouncementError("there is no \(name)")
    }
    do throws(LoadedLibrary.MissingFunction) {
      newPoll = try library.required("avahi_threaded_poll_new")
      pollInterface = try library.required("avahi_threaded_poll_get")
      startPoll = try library.required("avahi_threaded_poll_start")
      stopPoll = try library.required("avahi_threaded_poll_stop")
      freePoll = try library.required("avahi_threaded_poll_free")
      newClient = try library.required("avahi_client_new")
      freeClient = try library.required("avahi_client_free")
      clientError = try library.required("avahi_client_errno")
      newGroup = try library.required("avahi_entry_group_new")
      resetGroup = try library.required("avahi_entry_group_reset")
      commitGroup = try library.required("avahi_entry_group_commit")
      alternativeName = try library.required("avahi_alternative_service_name")
      free = try library.required("avahi_free")
      errorText = try library.required("avahi_strerror")
      addServiceToGroup = try library.required("avahi_entry_group_add_service_strlst")
    } catch {
      throw AnnouncementError("\(name) has no \(error.name)")
    }
  }

  /// Adds a Wyoming server on all interfaces to a group.
  func addService(named name: String, port: UInt16, to group: Handle) -> Int32 {
    addServiceToGroup(
      group, Self.unspecified, Self.unspecified, 0, name, "_wyoming._tcp", nil, nil, port, nil)
  }
}
