import AudioCore
import FilePaths

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
