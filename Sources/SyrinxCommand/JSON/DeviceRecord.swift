import AudioCore

/// A device as `syrinx devices --json` tells it.
struct DeviceRecord: Encodable {
  let id: String
  let name: String
  let playback: Bool
  let capture: Bool
  let isDefault: Bool
  let isVirtual: Bool

  enum CodingKeys: String, CodingKey {
    case id, name, playback, capture
    case isDefault = "default"
    case isVirtual = "virtual"
  }

  init(_ device: AudioDevice) {
    id = device.id.rawValue
    name = device.name
    playback = device.directions.contains(.playback)
    capture = device.directions.contains(.capture)
    isDefault = device.isDefault
    isVirtual = device.isVirtual
  }
}
