import AudioCore
import Glibc
import SoundCard

/// Finds out in `/proc` who has a card's device.
struct HolderSearch {
  /// The folder that tells of cards and processes.
  var root = "/proc"

  /// The program that holds the device in this direction; nil where nothing tells.
  func holder(
    of id: AudioDevice.ID, for direction: AudioDevice.Direction
  ) -> DeviceHolder? {
    guard let address = HardwareAddress(id), let card = number(ofCard: address.card) else {
      return nil
    }
    let side = direction == .playback ? "p" : "c"
    let device = "\(root)/asound/card\(card)/pcm\(address.device)\(side)"
    for substream in 0... {
      guard let status = text("\(device)/sub\(substream)/status") else { return nil }
      if let owner = number(after: "owner_pid", in: status) { return program(of: owner) }
    }
    return nil
  }

  private func number(ofCard name: String) -> Int? {
    if let number = Int(name) { return number }
    // The kernel numbers at most 32 cards.
    return (0..<32).first { text("\(root)/asound/card\($0)/id")?.firstLine == name }
  }

  /// The process of the thread that opened the device.
  private func program(of thread: Int32) -> DeviceHolder? {
    let process =
      text("\(root)/\(thread)/status").flatMap { number(after: "Tgid", in: $0) } ?? thread
    guard let name = text("\(root)/\(process)/comm")?.firstLine else { return nil }
    return DeviceHolder(name: name, processID: process)
  }

  /// The number in the line `key : number`.
  private func number(after key: String, in text: String) -> Int32? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      guard let value = line.split(separator: ":").dropFirst().first else { continue }
      return Int32(value.filter { !$0.isWhitespace })
    }
    return nil
  }

  /// The beginning of a file, which for those of `/proc` is all that matters.
  private func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { memory, count in
      count = fread(memory.baseAddress, 1, memory.count, file)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate var firstLine: String? { split(separator: "\n").first.map(String.init) }
}
