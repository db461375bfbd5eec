import Foundation

@testable import ONNXRuntime

/// Decodes the most probable tokens one after another: the simplest decoder, for comparing models.
struct GreedyTokens {
  let encoder: ONNXSession
  let decoder: ONNXSession
  private var library: ONNXLibrary { decoder.library }

  func callAsFunction(_ samples: [Float]) throws -> [Int64] {
    let audio = try ONNXValue(samples, shape: [1, samples.count], in: library)
    let hidden = try encoder.run([("input_values", audio)], outputs: ["last_hidden_state"])[0]
    var pasts = try emptyPasts()
    var tokens: [Int64] = [1]
    while tokens.last != 2, tokens.count < 200 {
      let isFirst = tokens.count == 1
      let wanted = pasts.keys.filter { isFirst || $0.contains(".decoder.") }
      let inputs: [(name: String, value: ONNXValue)] = [
        ("input_ids", try ONNXValue([tokens[tokens.count - 1]], shape: [1, 1], in: library)),
        ("encoder_hidden_states", hidden),
        ("use_cache_branch", try ONNXValue([!isFirst], shape: [1], in: library)),
      ]
      let results = try decoder.run(
        inputs + pasts.map { (name: $0.key, value: $0.value) },
        outputs: ["logits"] + wanted.map { $0.replacing("past_key_values", with: "present") })
      for (name, value) in zip(wanted, results.dropFirst()) { pasts[name] = value }
      tokens.append(
        try results[0].withElements(of: Float.self) { logits in
          Int64(logits.indices.max { logits[$0] < logits[$1] } ?? 0)
        })
    }
    return tokens
  }

  private func emptyPasts() throws -> [String: ONNXValue] {
    let pasts = decoder.inputs.filter { $0.name.hasPrefix("past_key_values") }
    return try Dictionary(
      uniqueKeysWithValues: pasts.map { port in
        let shape = [1, port.shape[1] ?? 0, 0, port.shape[3] ?? 0]
        return (port.name, try ONNXValue([Float](), shape: shape, in: library))
      })
  }
}
