import AudioCore
import FilePaths
import Glibc
import SoundFile

/// Examines the sound cards, permissions, limits, and disk of this machine, without opening a
/// device.
struct SystemExamination {
  /// The folder that contains `proc` and `dev`.
  var root: FilePath = "/"
  /// Returns whether this user may read and write a file.
  var mayUse: (FilePath) -> Bool = { $0.withCString { access($0, R_OK | W_OK) } == 0 }
  /// Returns the limit on a resource, in the unit of `getrlimit`.
  var limit: (__rlimit_resource) -> UInt64 = systemLimit
  /// Whether this user is root, for whom no limits apply.
  var isRoot = geteuid() == 0
  /// Returns the number of bytes that this user may still write to a folder; nil if unknown.
  var freeBytes: (FilePath) -> UInt64? = freeBytesOnDisk
  /// The path of the first `ffmpeg` on the PATH.
  var ffmpeg = SoundFile.ffmpeg

  /// All findings.
  var findings: [HealthFinding] {
    [cards, permissions, formats, otherFormats, priority, lockedMemory, disk]
  }

  /// The IDs of the kernel's sound cards, including those that this process has no permission to
  /// open.
  var cardIDs: [String] { kernelCards.map(\.id) }

  var cards: HealthFinding {
    let cards = kernelCards
    guard !cards.isEmpty else {
      return .note(
        "sound cards", "the kernel has none",
        remedy: "connect one, or share one with this container or virtual machine")
    }
    return .ok("sound cards", cards.map { "\($0.name) (\($0.id))" }.joined(separator: ", "))
  }

  /// The cards in `/proc/asound/cards`, as in ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`.
  private var kernelCards: [(id: String, name: String)] {
    let bytes = (try? root.appending("proc/asound/cards").contents(atMost: 65_536)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      guard let match = line.firstMatch(of: /^ *\d+ \[(\S+) *\]: .* - (.*)$/) else { return nil }
      return (String(match.1), String(match.2))
    }
  }

  var permissions: HealthFinding {
    let folder = root.appending("dev/snd")
    let devices = (folder.names ?? []).filter { name in
      ["control", "pcm"].contains { name.text.hasPrefix($0) }
    }
    guard !devices.isEmpty else { return .ok("permissions", "there is no device in /dev/snd") }
    let denied = devices.map(folder.appending).filter { !mayUse($0) }.min { $0.text < $1.text }
    guard let denied else {
      return .ok("permissions", "this user may open all \(devices.count) files in /dev/snd")
    }
    let group = denied.status.flatMap { getgrgid($0.st_gid) }
      .map { String(cString: $0.pointee.gr_name) }
    return .note(
      "permissions", "this user may not open \(denied)",
      remedy: "`sudo usermod -aG \(group ?? "audio") $USER`, then log in again")
  }

  var formats: HealthFinding {
    .ok("formats", "read and written: \(SoundFileEncoding.pathExtensions.joined(separator: ", "))")
  }

  var otherFormats: HealthFinding {
    let names = "m4a, aac, webm, wma, videos, and URLs"
    guard let ffmpeg else {
      return .note("more formats", "\(names) need FFmpeg", remedy: "`apt install ffmpeg`")
    }
    return .ok("more formats", "\(names) are read through \(ffmpeg)")
  }

  var priority: HealthFinding {
    let limit = limit(__RLIMIT_RTPRIO)
    if isRoot { return .ok("real-time priority", "this user is root") }
    guard limit == 0 else { return .ok("real-time priority", "rtprio is \(Self.text(limit))") }
    return .note(
      "real-time priority", "rtprio is 0: a busy machine may cause dropouts on hardware devices",
      remedy: """
        `apt install rtkit`, or put "@audio - rtprio 20" into /etc/security/limits.d/audio.conf and \
        log in again
        """)
  }

  var lockedMemory: HealthFinding {
    let limit = limit(__RLIMIT_MEMLOCK)
    let detail = "memlock is \(Self.text(limit, unit: " bytes"))"
    guard limit < 8 << 20, !isRoot else { return .ok("locked memory", detail) }
    return .note(
      "locked memory", "\(detail): audio buffers may be swapped out",
      remedy: """
        put "@audio - memlock 65536" into /etc/security/limits.d/audio.conf and log in again
        """)
  }

  var disk: HealthFinding {
    guard let free = freeBytes(".") else {
      return .note("disk", "the free space of this folder is unknown")
    }
    // Every frame of a recording in 16-bit stereo takes four bytes.
    let hours = Double(free) / (48_000 * 4 * 3_600)
    let detail = """
      \((Double(free) / 1e9).tenths) GB free in this folder: \(hours.tenths) hours of stereo WAV at \
      48 kHz
      """
    return free < 1 << 30
      ? .note("disk", detail, remedy: "remove files, or record to another disk")
      : .ok("disk", detail)
  }

  private static func text(_ limit: UInt64, unit: String = "") -> String {
    limit >= UInt64(Int64.max) ? "unlimited" : "\(limit)\(unit)"
  }
}

/// Returns the soft limit on a resource; the corresponding C function is `getrlimit`.
private func systemLimit(_ resource: __rlimit_resource) -> UInt64 {
  var limit = rlimit()
  getrlimit(CInt(resource.rawValue), &limit)
  return UInt64(limit.rlim_cur)
}

/// Returns the bytes that this user may still write; the corresponding C function is `statvfs`.
private func freeBytesOnDisk(_ folder: FilePath) -> UInt64? {
  var disk = statvfs()
  guard folder.withCString({ statvfs($0, &disk) }) == 0 else { return nil }
  let bytes = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
  return bytes.overflow ? .max : bytes.partialValue
}
