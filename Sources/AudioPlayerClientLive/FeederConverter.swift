import AudioCore
import AudioPlayerClient
import Resampling

/// Converts buffers of any formats, one after the other, to one format without a gap.
struct FeederConverter {
  private var resampler: Resampler?

  /// The samples that a buffer gives in the target format, with what was held back before it.
  mutating func convert(_ buffer: AudioBuffer, to target: AudioFormat) throws -> [Float] {
    do {
      var samples: [Float] = []
      if let resampler, resampler.inputFormat != buffer.format { samples = try finish() }
      let resampler = try self.resampler ?? Resampler(from: buffer.format, to: target)
      self.resampler = resampler
      let converted = try resampler.process(buffer).samples
      return samples.isEmpty ? converted : samples + converted
    } catch {
      throw AudioPlayerError.source(nil, reason: "\(error)")
    }
  }

  /// What was held back.
  mutating func finish() throws -> [Float] {
    defer { resampler = nil }
    do {
      return try resampler?.finish().samples ?? []
    } catch {
      throw AudioPlayerError.source(nil, reason: "\(error)")
    }
  }
}
