import AudioCore
import CSndFile

extension ChannelLayout {
  /// Returns the channel order of Vorbis and Opus.
  static func vorbis(_ channelCount: Int) -> ChannelLayout {
    let front: [ChannelPosition] = [.frontLeft, .frontCenter, .frontRight]
    let rear: [ChannelPosition] = [.rearLeft, .rearRight]
    let side: [ChannelPosition] = [.sideLeft, .sideRight]
    return switch channelCount {
    case 3: ChannelLayout(front)
    case 5: ChannelLayout(front + rear)
    case 6: ChannelLayout(front + rear + [.lowFrequency])
    case 7: ChannelLayout(front + side + [.rearCenter, .lowFrequency])
    case 8: ChannelLayout(front + side + rear + [.lowFrequency])
    default: .wav(channelCount)
    }
  }
}

extension SoundFileHandle {
  /// Returns the layout of the file, in the file's own order.
  ///
  /// It is the usual layout if the file has no positions, or positions that `ChannelPosition`
  /// lacks.
  ///
  /// `head` contains the first bytes of the file, if available.
  func storedLayout(_ info: SF_INFO, head: [UInt8] = []) -> ChannelLayout {
    let count = max(1, Int(info.channels))
    return switch Int(info.format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_OGG where Int(info.format) & SF_FORMAT_SUBMASK == SF_FORMAT_VORBIS:
      .vorbis(count)
    case SF_FORMAT_OGG where Int(info.format) & SF_FORMAT_SUBMASK == SF_FORMAT_OPUS:
      Self.hasPositions(opus: head) ? .vorbis(count) : .wav(count)
    // For an AIFF file, libsndfile 1.2 returns uninitialized memory as the positions, so the usual
    // layout is assumed.
    case SF_FORMAT_AIFF: .wav(count)
    default: namedLayout(count) ?? .wav(count)
    }
  }

  /// Returns the layout in the header; the corresponding C command is `SFC_GET_CHANNEL_MAP_INFO`.
  private func namedLayout(_ channelCount: Int) -> ChannelLayout? {
    guard channelCount > 1 else { return nil }
    var map = [Int32](repeating: 0, count: channelCount)
    let size = Int32(clamping: channelCount * MemoryLayout<Int32>.size)
    guard sf_command(file, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) == SF_TRUE else {
      return nil
    }
    let positions = map.compactMap(ChannelPosition.init(library:))
    return Set(positions).count == channelCount ? ChannelLayout(positions) : nil
  }

  /// Stores the positions of the channels to write; stores nothing if libsndfile does not support
  /// them.
  ///
  /// The corresponding C command is `SFC_SET_CHANNEL_MAP_INFO`.
  func store(_ layout: ChannelLayout) {
    var map = layout.positions.map(\.inLibrary)
    let size = Int32(clamping: map.count * MemoryLayout<Int32>.size)
    sf_command(file, Int32(SFC_SET_CHANNEL_MAP_INFO), &map, size)
  }

  /// Whether the channels of Opus have loudspeaker positions, as in mapping families 0 and 1.
  private static func hasPositions(opus head: [UInt8]) -> Bool {
    let (start, family) = (28, 46)
    guard head.count > family, head[start...].starts(with: "OpusHead".utf8) else { return true }
    return head[family] <= 1
  }
}

extension ChannelPosition {
  fileprivate init?(library value: Int32) {
    switch Int(value) {
    case SF_CHANNEL_MAP_FRONT_LEFT: self = .frontLeft
    case SF_CHANNEL_MAP_FRONT_RIGHT: self = .frontRight
    case SF_CHANNEL_MAP_FRONT_CENTER: self = .frontCenter
    case SF_CHANNEL_MAP_INVALID: return nil
    default:
      guard let position = Self.allCases.first(where: { $0.inLibrary == value }) else { return nil }
      self = position
    }
  }

  fileprivate var inLibrary: Int32 {
    let value =
      switch self {
      case .mono: SF_CHANNEL_MAP_MONO
      case .frontLeft: SF_CHANNEL_MAP_LEFT
      case .frontRight: SF_CHANNEL_MAP_RIGHT
      case .frontCenter: SF_CHANNEL_MAP_CENTER
      case .lowFrequency: SF_CHANNEL_MAP_LFE
      case .rearLeft: SF_CHANNEL_MAP_REAR_LEFT
      case .rearRight: SF_CHANNEL_MAP_REAR_RIGHT
      case .rearCenter: SF_CHANNEL_MAP_REAR_CENTER
      case .sideLeft: SF_CHANNEL_MAP_SIDE_LEFT
      case .sideRight: SF_CHANNEL_MAP_SIDE_RIGHT
      case .silent, .unknown: SF_CHANNEL_MAP_INVALID
      }
    return Int32(value)
  }
}

extension SoundFileEncoding {
  /// Returns the order in which a file stores the channels of `layout`.
  func storedLayout(of layout: ChannelLayout) -> ChannelLayout {
    switch container {
    case .wav, .aiff, .caf: layout
    case .au, .flac, .mp3: .wav(layout.positions.count)
    case .vorbis, .opus: .vorbis(layout.positions.count)
    }
  }
}
