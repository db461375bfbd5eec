public import ClientDependencies

extension DependencyValues {
  /// The time that the live player keeps a device open after its last sound: 10 s, and zero in
  /// tests.
  ///
  /// It is measured on `\.continuousClock`. A sound that begins in this time does not wait for the
  /// device. With a time above zero, a device is opened with at least two channels and 44.1 kHz, so
  /// that it suits later sounds, unless `PlaybackRequest.deviceFormat` is set. With zero, the
  /// device closes with its last sound, and the first sound decides the format.
  public var playbackIdleTime: Duration {
    get { self[PlaybackIdleTimeKey.self] }
    set { self[PlaybackIdleTimeKey.self] = newValue }
  }
}

enum PlaybackIdleTimeKey: DependencyKey {
  static let liveValue = Duration.seconds(10)
  static let testValue = Duration.zero
}
