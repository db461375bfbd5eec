public import ClientDependencies

extension DependencyValues {
  /// How long the live player keeps a device open after its last sound, on `\.continuousClock`:
  /// 10 s, and in tests not at all.
  ///
  /// A sound that begins meanwhile waits for no device. With a time above zero a device is opened
  /// for more than its first sound: with at least two channels and 44.1 kHz, unless
  /// `PlaybackRequest.deviceFormat` says otherwise. With zero it is closed with its last sound, and
  /// the first decides the format.
  public var playbackIdleTime: Duration {
    get { self[PlaybackIdleTimeKey.self] }
    set { self[PlaybackIdleTimeKey.self] = newValue }
  }
}

enum PlaybackIdleTimeKey: DependencyKey {
  static let liveValue = Duration.seconds(10)
  static let testValue = Duration.zero
}
