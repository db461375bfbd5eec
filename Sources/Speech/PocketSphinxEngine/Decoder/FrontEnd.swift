import AudioCore
import CPocketSphinx
import Glibc
import SpeechEngine

/// PocketSphinx's front end, which converts samples to cepstra in a thousandth of the decoder's
/// time.
struct FrontEnd: ~Copyable {
  private let frontEnd: OpaquePointer
  private let width: Int
  private let rows: UnsafeMutableBufferPointer<UnsafeMutablePointer<mfcc_t>?>
  private let cells: UnsafeMutablePointer<mfcc_t>
  /// The model's lifter parameter; it and `factor` scale the coefficients.
  private let lifter: Int
  private let factor: Float
  private static let rowCount = 128

  /// Creates a front end with a decoder's parameters; the corresponding C function is
  /// `fe_init_auto_r`.
  init(configuration: OpaquePointer?) throws(SpeechEngineError) {
    guard let made = fe_init_auto_r(configuration) else {
      throw .failed(reason: "PocketSphinx's front end rejects the model's parameters")
    }
    frontEnd = made
    lifter = ps_config_int(configuration, "lifter")
    let transform = ps_config_str(configuration, "transform").map { String(cString: $0) }
    // The transform "legacy" divides by the number of filters, so its coefficients must be scaled;
    // the other transforms are orthonormal.
    let filterCount = Float(max(1, ps_config_int(configuration, "nfilt")))
    factor = transform == "legacy" ? (2 * filterCount).squareRoot() : 1
    width = Int(fe_get_output_size(made))
    // This value owns the cells and frees them in its deinit; the C function needs an array of
    // pointers to their rows.
    cells = .allocate(capacity: width * Self.rowCount)
    rows = .allocate(capacity: Self.rowCount)
    for row in 0..<Self.rowCount { rows[row] = cells + row * width }
  }

  /// Creates a front end with the parameters of a model, without a decoder.
  init(model: ModelFiles) throws(SpeechEngineError) {
    self = try SphinxConfiguration().makeFrontEnd(model.featureParameters())
  }

  deinit {
    fe_free(frontEnd)
    rows.deallocate()
    cells.deallocate()
  }

  func begin() {
    _ = syrinx_start_frames(frontEnd)
  }

  /// Computes the cepstra of more samples.
  ///
  /// The samples of an incomplete frame are kept until the next call.
  func process(_ samples: [Int16], each: (UnsafeBufferPointer<Float>) -> Void) {
    samples.withUnsafeBufferPointer { buffer in
      // The C function advances this pointer within the buffer as it processes samples.
      var position = buffer.baseAddress
      var left = buffer.count
      while left > 0 {
        var frames = Int32(Self.rowCount)
        let code = syrinx_process_frames(frontEnd, &position, &left, rows.baseAddress, &frames)
        guard code >= 0, frames > 0 else { return }
        for row in 0..<Int(frames) {
          each(UnsafeBufferPointer(start: rows[row], count: width))
        }
      }
    }
  }

  /// Returns a cepstrum in the scale of an orthonormal transform.
  ///
  /// This scale does not depend on the model.
  func unscaled(_ cepstrum: UnsafeBufferPointer<Float>) -> [Float] {
    cepstrum.enumerated().map { index, value in
      guard lifter > 0 else { return value * factor }
      let angle = Float.pi * Float(index) / Float(lifter)
      return value * factor / (1 + Float(lifter) / 2 * sin(angle))
    }
  }
}

/// The mean of an utterance's cepstra so far, and the schedule on which a decoder gets it.
///
/// Accuracy depends on this mean more than on anything else: subtracting it removes the loudness
/// and the coloration of the voice, the room, and the microphone. Each utterance has its own mean,
/// so its words do not depend on other utterances.
struct UtteranceMean {
  /// The amount of audio that is collected before the search begins.
  static let priming = FrameCount(.milliseconds(1500), at: .speech)
  /// The amount of audio between two updates of the mean.
  static let interval = FrameCount(.milliseconds(500), at: .speech)

  /// PocketSphinx's default mean, for an utterance in which all frames are silent.
  static let usual: [Float] = [40, 3, -1]

  /// Whether enough audio has arrived for the decoder to search the utterance.
  private(set) var isSearching = false

  private var sums: [Float] = []
  private var count: Float = 0
  private var sinceMean: FrameCount = 0

  /// The mean; nil before the first frame.
  var value: [Float]? {
    count > 0 ? sums.map { $0 / count } : nil
  }

  /// Adds a frame, unless its first coefficient, the energy, is that of digital silence.
  mutating func add(_ cepstrum: some Collection<Float>) {
    guard let energy = cepstrum.first, energy >= 0 else { return }
    if sums.isEmpty { sums = Array(repeating: 0, count: cepstrum.count) }
    for (index, value) in cepstrum.enumerated() { sums[index] += value }
    count += 1
  }

  /// Counts the samples of the added frames, and returns whether the decoder should get the mean
  /// now.
  mutating func isDue(after samples: FrameCount) -> Bool {
    sinceMean = sinceMean + samples
    guard sinceMean >= (isSearching ? Self.interval : Self.priming) else { return false }
    (isSearching, sinceMean) = (true, 0)
    return true
  }
}
