import AudioCore
import FilePaths
import SoundCard
import SoundFile
import VirtualSoundCard

/// Where a device's name leads: to the hardware, or to the sound card in this process.
enum DeviceRoute: Equatable {
  /// To the sound system, with no name to its default.
  case hardware
  /// To the virtual loudspeaker.
  case virtualPlayback
  /// To the virtual microphone that hears this file.
  case virtualMicrophone(path: FilePath)

  static let virtualName = "virtual"

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

  /// Why nothing can go in this direction, nil where it can.
  func obstacle(to direction: AudioDevice.Direction) -> String? {
    switch (self, direction) {
    case (.virtualPlayback, .capture):
      "it hears nothing; name a file for it to hear: virtual:FILE"
    case (.virtualMicrophone, .playback):
      "it is a microphone; the device that plays without hardware is virtual"
    case (.virtualMicrophone(path: ""), .capture):
      "the file for it to hear is missing: virtual:FILE"
    default: nil
    }
  }
}

extension SoundCard {
  /// The command's sound card: `virtual` and `virtual:FILE` lead to a sound card in this process,
  /// which keeps the pace of real time, and every other device to the hardware's.
  ///
  /// - Parameter onTrouble: hears what was wrong with the file of a virtual microphone.
  static func routing(
    to hardware: SoundCard,
    onTrouble: @escaping @Sendable (FileTrouble) -> Void
  ) -> SoundCard {
    SoundCard(
      devices: { try await hardware.devices() + [.virtualPlayback, .virtualMicrophone] },
      openPlayback: { request in
        let route = DeviceRoute(request.device)
        try route.check(request.device, .playback)
        guard route == .virtualPlayback else {
          return try await hardware.openPlayback(request)
        }
        return try await openVirtual(.init(pace: inRealTime, keepsPlayback: false))
          .openPlayback(request)
      },
      openCapture: { request in
        let route = DeviceRoute(request.device)
        try route.check(request.device, .capture)
        guard case .virtualMicrophone(let path) = route else {
          return try await hardware.openCapture(request)
        }
        return try await openMicrophone(hearing: path, request, onTrouble: onTrouble)
      },
      deviceChanges: hardware.deviceChanges)
  }

  /// A machine that is busy makes the card wait: what has no hardware has no reason to lose sound.
  private static var inRealTime: VirtualPace {
    .lockstep(ContinuousClock(), slack: .milliseconds(50))
  }

  private static func openVirtual(_ setup: VirtualSoundCard.Setup) -> SoundCard {
    VirtualSoundCard(setup).soundCard
  }

  private static func openMicrophone(
    hearing path: FilePath, _ request: PCMRequest,
    onTrouble: @escaping @Sendable (FileTrouble) -> Void
  ) async throws -> any CapturePCM {
    let ear: FileMicrophone
    do {
      ear = try await FileMicrophone.open(path: path, onTrouble: onTrouble)
    } catch let error as SoundFileError {
      throw SoundCardError.unsupported(request.device ?? "", reason: "\(error)")
    }
    var request = request
    request.device = VirtualSoundCard.device.id
    let setup = VirtualSoundCard.Setup(
      pace: inRealTime, microphone: ear.microphone, keepsPlayback: false)
    return try await openVirtual(setup).openCapture(request)
  }
}

extension DeviceRoute {
  fileprivate func check(
    _ device: AudioDevice.ID?, _ direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    guard let device, let reason = obstacle(to: direction) else { return }
    throw .unsupported(device, reason: reason)
  }
}

extension AudioDevice {
  /// The virtual loudspeaker, as it is listed.
  static let virtualPlayback = AudioDevice(
    id: "virtual", name: "takes sound in real time, without hardware", directions: [.playback],
    isVirtual: true)

  /// The virtual microphone, as it is listed.
  static let virtualMicrophone = AudioDevice(
    id: "virtual:FILE", name: "a microphone that hears FILE in real time", directions: [.capture],
    isVirtual: true)
}
