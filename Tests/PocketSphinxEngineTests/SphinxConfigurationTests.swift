import CPocketSphinx
import Testing

@testable import PocketSphinxEngine

/// What a decoder is configured to, read where PocketSphinx has it.
@Suite struct SphinxConfigurationTests {
  private func decoder(_ options: [String: String] = [:]) throws -> Decoder {
    try DecoderPool(location: ModelLocation(chosen: nil)).take(DecoderSettings(options))
  }

  @Test func `the settings that measured best are in force, whatever the model's parameters say`()
    throws
  {
    let decoder = try decoder()
    let configuration = ps_get_config(decoder.decoder)
    #expect(cmd_ln_float_r(configuration, "-lw") == 6)
    let whole = ["-fwdflat", "-maxhmmpf", "-maxwpf", "-remove_silence", "-remove_noise"]
    #expect(whole.map { cmd_ln_int_r(configuration, $0) } == [0, 5000, 20, 0, 0])
    // What is not said stays as PocketSphinx has it.
    #expect(cmd_ln_int_r(configuration, "-bestpath") == 1)
    #expect(cmd_ln_float_r(configuration, "-beam") == 1e-48)
  }

  @Test func `what a request says comes before that`() throws {
    let decoder = try decoder(["lw": "5.5", "maxwpf": "10", "fwdflat": "yes"])
    let configuration = ps_get_config(decoder.decoder)
    #expect(cmd_ln_float_r(configuration, "-lw") == 5.5)
    let whole = ["-fwdflat", "-maxhmmpf", "-maxwpf"]
    #expect(whole.map { cmd_ln_int_r(configuration, $0) } == [1, 5000, 10])
  }
}
