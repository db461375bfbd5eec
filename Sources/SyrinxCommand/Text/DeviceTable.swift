import AudioCore
import FilePaths

/// The devices as lines for people: `*` marks what is taken where no device is named.
struct DeviceTable {
  let devices: [AudioDevice]

  var lines: [String] {
    let ids = column(devices.map(\.id.rawValue))
    let directions = column(devices.map(\.directionsText))
    return devices.indices.map { index in
      let mark = devices[index].isDefault ? "*" : " "
      return "\(mark) \(ids[index])  \(directions[index])  \(devices[index].nameText)".printable
    }
  }

  private func column(_ texts: [String]) -> [String] {
    let width = texts.map(\.count).max() ?? 0
    return texts.map { $0 + String(repeating: " ", count: width - $0.count) }
  }
}

extension AudioDevice {
  fileprivate var directionsText: String {
    let known: [Direction] = [.playback, .capture]
    return known.filter(directions.contains).map(\.rawValue).joined(separator: ", ")
  }

  /// The name on one line.
  fileprivate var nameText: String {
    let name = name.split(whereSeparator: \.isNewline).joined(separator: ", ")
    return (isVirtual ? "virtual: " : "") + name + (isDefault ? " (default)" : "")
  }
}
