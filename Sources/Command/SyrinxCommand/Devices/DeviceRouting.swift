import AudioCore
import AudioThreads
import FilePaths
import SoundCard
import SoundFile
import Synchronization
import VirtualSoundCard

/// The target of a device name: the hardware, or a virtual device in this process.
enum DeviceRoute: Equatable {
  /// A device of the sound system: the device with the given name, or the default device.
  case hardware
  /// The virtual loudspeaker.
  case virtualPlayback
  /// A virtual microphone whose input is this file.
  case virtualMicrophone(path: FilePath)

  private static let virtualName = "virtual"

  init(_ device: AudioDevice.ID?) {
    let name = device?.rawValue ?? ""
    if name == Self.virtualName {
      self = .virtualPlayback
    } else if name.hasPrefix(Self.virtualName + ":") {
      self = .virtualMicrophone(path: FilePath(String(name.dropFirst(Self.virtualName.count + 1))))
    } else {
      self = .hardware
    }
  }

  /// Returns the reason that the device cannot be used in this direction, or nil.
  func obstacle(to direction: AudioDevice.Direction) -> String? {
    switch (self, direction) {
    case (.virtualPlayback, .capture):
      "it captures nothing; name a file to capture: virtual:FILE"
    case (.virtualMicrophone, .playback):
      "it is a microphone; to play without hardware, use virtual"
    case (.virtualMicrophone(path: ""), .capture):
      "the file to capture is missing: virtual:FILE"
    default: nil
    }
  }

  fileprivate func check(
    _ device: AudioDevice.ID?, _ direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    guard let device, let reason = obstacle(to: direction) else { return }
    throw .unsupported(device, reason: reason)
  }
}

/// Remembers the devices found by a part of their name, so that a lost device is not replaced with
/// another device.
private final class FoundDevices: Sendable {
  // The lock is held only to look up or store an ID.
  let ids = Mutex<[AudioDevice.Direction: [AudioDevice.ID: AudioDevice.ID]]>([:])
}

extension SoundCard {
  /// Returns the command's sound card: `virtual` and `virtual:FILE` open a virtual card that runs
  /// in real time, and all other names open a hardware device.
  ///
  /// `onProblem` receives the problems of a virtual microphone's file.
  static func routing(
    to hardware: SoundCard,
    onProblem: @escaping @Sendable (FileProblem) -> Void
  ) -> SoundCard {
    let found = FoundDevices()
    var card = SoundCard(
      devices: { try await hardware.devices() + [.virtualPlayback, .virtualMicrophone] },
      openPlayback: { request in
        let route = DeviceRoute(request.device)
        try route.check(request.device, .playback)
        guard route == .virtualPlayback else {
          return try await hardware.opening(request, found, hardware.openPlayback)
        }
        let card = VirtualSoundCard(pace: inRealTime, keepsPlayback: false)
        return try await card.soundCard.openPlayback(request)
      },
      openCapture: { request in
        let route = DeviceRoute(request.device)
        try route.check(request.device, .capture)
        guard case .virtualMicrophone(let path) = route else {
          return try await hardware.opening(request, found, hardware.openCapture)
        }
        return try await openMicrophone(capturing: path, request, onProblem: onProblem)
      },
      deviceChanges: hardware.deviceChanges)
    card.now = hardware.now
    return card
  }

  /// Opens a device by its full name, or by a part of its name that is in no other device's name.
  private func opening<Device>(
    _ request: PCMRequest, _ found: FoundDevices, _ open: (PCMRequest) async throws -> Device
  ) async throws -> Device {
    do {
      return try await open(request)
    } catch SoundCardError.unknownDevice(let part, let direction)
      // A name with a colon is a full name, never a part.
      where part == request.device && !part.rawValue.contains(":")
    {
      var request = request
      if let known = found.ids.withLock({ $0[direction]?[part] }) {
        request.device = known
        return try await open(request)
      }
      let device = try await device(withPart: part, direction)
      request.device = device
      let opened = try await open(request)
      found.ids.withLock { $0[direction, default: [:]][part] = device }
      return opened
    }
  }

  /// Finds the device whose name contains a text; throws unless there is exactly one.
  ///
  /// ALSA lists a card under several names. The name on the sound server takes precedence, followed
  /// by the name that converts formats.
  private func device(
    withPart part: AudioDevice.ID, _ direction: AudioDevice.Direction
  ) async throws -> AudioDevice.ID {
    let text = part.rawValue.lowercased()
    let names = { (device: AudioDevice) in
      let id = device.id.rawValue
      return [id, id.hasPrefix("pulse:") ? String(id.dropFirst(6)) : id, device.name]
        .map { $0.lowercased() }
    }
    let matches = try await devices().filter { device in
      device.directions.contains(direction) && names(device).contains { $0.contains(text) }
    }
    let ranks: [(AudioDevice) -> Bool] = [
      { names($0).contains(text) },
      { $0.id.rawValue.hasPrefix("pulse:") && !$0.id.rawValue.hasSuffix(".monitor") },
      { device in
        !device.isDefault
          && !["hw:", "sysdefault:"].contains { device.id.rawValue.hasPrefix($0) }
      },
      { _ in true },
    ]
    let found = ranks.lazy.map { matches.filter($0) }.first { !$0.isEmpty } ?? []
    guard let first = found.first else { throw SoundCardError.unknownDevice(part, direction) }
    guard found.count > 1 else { return first.id }
    let list = found.map(\.id.rawValue).joined(separator: ", ")
    throw SoundCardError.unsupported(
      part, reason: "it is a part of the names of several devices (\(list)); name one of them")
  }

  /// The pace of a virtual card: real time, with a pause whenever the machine is late.
  ///
  /// Hardware cannot pause, so it would lose frames.
  private static var inRealTime: VirtualPace {
    .lockstep(ContinuousClock(), slack: .milliseconds(50))
  }

  private static func openMicrophone(
    capturing path: FilePath, _ request: PCMRequest,
    onProblem: @escaping @Sendable (FileProblem) -> Void
  ) async throws -> any CapturePCM {
    let file: FileMicrophone
    do {
      file = try await FileMicrophone.open(path: path, onProblem: onProblem)
    } catch let error as SoundFileError {
      throw SoundCardError.unsupported(request.device ?? "", reason: "\(error)")
    }
    var request = request
    request.device = VirtualSoundCard.device.id
    let card = VirtualSoundCard(
      pace: inRealTime, microphone: file.microphone, keepsPlayback: false)
    return try await card.soundCard.openCapture(request)
  }
}

extension AudioDevice {
  /// The entry for the virtual loudspeaker in the list of devices.
  static let virtualPlayback = AudioDevice(
    id: "virtual", name: "plays in real time without hardware", directions: [.playback],
    isVirtual: true)

  /// The entry for the virtual microphone in the list of devices.
  static let virtualMicrophone = AudioDevice(
    id: "virtual:FILE", name: "a microphone that captures FILE in real time",
    directions: [.capture], isVirtual: true)
}

/// A file as the input of a virtual microphone.
final class FileMicrophone: @unchecked Sendable {
  // Safe because one thread at a time uses the reader: first the thread that opens the file, and
  // after that thread has ended, the audio thread of the virtual card.
  private let reader: SoundFileReader
  private let path: FilePath
  private let onProblem: @Sendable (FileProblem) -> Void

  private init(path: FilePath, onProblem: @escaping @Sendable (FileProblem) -> Void) throws {
    self.path = path
    reader = try SoundFileReader(url: path.url)
    self.onProblem = onProblem
  }

  /// Opens the file on its own thread, because a pipe blocks until it has a writer.
  ///
  /// - Throws: `SoundFileError`, `SystemError`, and `CancellationError`.
  static func open(
    path: FilePath, onProblem: @escaping @Sendable (FileProblem) -> Void
  ) async throws -> FileMicrophone {
    try await DedicatedThread.run(name: "syrinx-open") {
      try FileMicrophone(path: path, onProblem: onProblem)
    }
  }

  /// A virtual microphone that delivers the file's audio once.
  var microphone: VirtualMicrophone {
    VirtualMicrophone(format: reader.format) { _ in { samples, _ in self.read(into: samples) } }
  }

  private func read(into samples: UnsafeMutableBufferPointer<Float>) -> FrameCount {
    do throws(SoundFileError) {
      let count = try reader.read(into: samples)
      if let shortfall = reader.shortfall { onProblem(.shortfall(shortfall, file: path)) }
      return count
    } catch {
      onProblem(.failure(error))
      return 0
    }
  }
}
