import CPocketSphinx
import SpeechEngine

/// PocketSphinx' front end on its own: samples to cepstra, at a thousandth of the decoder's cost.
struct FrontEnd: ~Copyable {
  private let frontEnd: OpaquePointer
  private let width: Int
  private let rows: UnsafeMutableBufferPointer<UnsafeMutablePointer<mfcc_t>?>
  private let cells: UnsafeMutablePointer<mfcc_t>
  private let scale: CepstralScale
  private static let rowCount = 128

  /// A front end with a decoder's parameters; the corresponding C function is `fe_init_auto_r`.
  init(configuration: OpaquePointer?) throws(SpeechEngineError) {
    guard let made = fe_init_auto_r(configuration) else {
      throw .failed(reason: "PocketSphinx' front end refuses the model's parameters")
    }
    frontEnd = made
    scale = CepstralScale(configuration)
    width = Int(fe_get_output_size(made))
    // Owned by this value, and given back in its deinit: the C function wants an array of row
    // pointers.
    cells = .allocate(capacity: width * Self.rowCount)
    rows = .allocate(capacity: Self.rowCount)
    for row in 0..<Self.rowCount { rows[row] = cells + row * width }
  }

  /// A front end with the parameters of a model, which needs no decoder.
  init(model: ModelFiles) throws(SpeechEngineError) {
    try model.validateFeatureParameters()
    guard let configuration = SphinxConfiguration() else {
      throw .failed(reason: "PocketSphinx could not be configured")
    }
    self = try configuration.makeFrontEnd(featureParameters: model.acousticFile("feat.params"))
  }

  deinit {
    fe_free(frontEnd)
    rows.deallocate()
    cells.deallocate()
  }

  func begin() {
    fe_start_stream(frontEnd)
    fe_start_utt(frontEnd)
  }

  /// Gives the cepstra of more samples; what does not fill a frame waits for the next samples.
  func process(_ samples: [Int16], each: (UnsafeBufferPointer<Float>) -> Void) {
    samples.withUnsafeBufferPointer { buffer in
      // The C function moves this pointer on, within the buffer, as it takes samples.
      var position = buffer.baseAddress
      var left = buffer.count
      while left > 0 {
        var frames = Int32(Self.rowCount)
        var firstFrame: Int32 = 0
        let code = fe_process_frames(
          frontEnd, &position, &left, rows.baseAddress, &frames, &firstFrame)
        guard code >= 0, frames > 0 else { return }
        for row in 0..<Int(frames) {
          each(UnsafeBufferPointer(start: rows[row], count: width))
        }
      }
    }
  }
  /// A cepstrum on the scale that does not depend on the model.
  func unscaled(_ cepstrum: UnsafeBufferPointer<Float>) -> [Float] { scale.undone(cepstrum) }
}
