/// Where a channel's loudspeaker stands, or its microphone, seen from the listener.
public enum ChannelPosition: String, Hashable, Sendable, CaseIterable {
  /// The only channel.
  case mono
  /// In front, to the left.
  case frontLeft
  /// In front, to the right.
  case frontRight
  /// In front, between left and right.
  case frontCenter
  /// The loudspeaker for low frequencies alone.
  case lowFrequency
  /// Behind, to the left.
  case rearLeft
  /// Behind, to the right.
  case rearRight
  /// Straight behind.
  case rearCenter
  /// Beside, to the left.
  case sideLeft
  /// Beside, to the right.
  case sideRight
  /// Nowhere: what is played there is not heard.
  case silent
  /// Somewhere else, or nobody knows where.
  case unknown
}
