import AudioCore

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
