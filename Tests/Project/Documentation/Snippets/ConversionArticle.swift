import AudioCore
import Conversion
import Foundation
import TestTools
import Testing

/// The example of `Conversion.docc`.
@Suite struct ConversionArticleTests {
  @Test func `a file is converted`() async throws {
    let talk = Checkout.file("Samples/sounds/go-forward.wav")
    let small = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).flac")
    defer { try? FileManager.default.removeItem(at: small) }
    var conversion = AudioConversion([.file(talk)], to: .file(small))
    conversion.sampleRate = 16_000
    conversion.channelCount = 1
    conversion.normalization = .peak(Decibels(-1))
    let result = try await conversion.run()
    #expect(result.files.map(\.url) == [small] && abs(result.peak.value + 1) < 0.001)
  }
}
