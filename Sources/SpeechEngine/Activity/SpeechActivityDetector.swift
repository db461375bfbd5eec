public import AudioCore
public import ClientDependencies

/// A voice activity detector, by which the speech client finds the utterances for every engine.
public struct SpeechActivityDetector: Sendable {
  /// A short name: `energy`.
  public var name: String

  /// Begins a stream.
  ///
  /// It returns at once: what takes time to load is loaded with the first frame.
  public var makeSession: @Sendable () -> any SpeechActivitySession

  /// Reports whether it can be used, and where its model is; the language is `und`.
  ///
  /// It may load a library, but no model.
  public var availability: @Sendable () -> SpeechEngineAvailability

  /// A detector from its parts; one without a model is ready by itself.
  public init(
    name: String,
    availability: @escaping @Sendable () -> SpeechEngineAvailability = {
      .ready(SpeechModel(language: "und", location: ""))
    },
    makeSession: @escaping @Sendable () -> any SpeechActivitySession
  ) {
    self.name = name
    self.availability = availability
    self.makeSession = makeSession
  }
}

/// A detector at work on one stream.
///
/// It is deterministic: the same frames have the same probabilities.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechActivitySession: AnyObject {
  /// The length of a frame, in samples at 16 kHz.
  var frameLength: FrameCount { get }

  /// Takes the next frame: 16 kHz, mono, full scale ±1; NaN and infinity are silence.
  ///
  /// - Returns: the probabilities of speech, 0…1, that are ready: one for each frame, in order; a
  ///   frame may have to wait for later ones. Speech begins at 0.5 and continues down to 0.35.
  /// - Throws: `SpeechEngineError` if the detector cannot be loaded, or fails.
  func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double]

  /// Returns the probabilities of the frames that have waited: the audio has ended, or has a gap.
  ///
  /// The next frame begins a new stretch of audio; the detector may keep what it has learned about
  /// the room.
  func finish() -> [Double]
}

extension SpeechActivityDetector: DependencyKey {
  /// The energy detector.
  public static var liveValue: SpeechActivityDetector { .energy }
  /// The energy detector, which depends on nothing but the audio.
  public static var testValue: SpeechActivityDetector { .energy }
}

extension DependencyValues {
  /// The detector by which the speech client finds utterances; the energy detector until a program
  /// sets another one.
  public var speechActivityDetector: SpeechActivityDetector {
    get { self[SpeechActivityDetector.self] }
    set { self[SpeechActivityDetector.self] = newValue }
  }
}
