import AudioCore

/// What a preview preloads: silence in the place of a file.
func previewBuffers(of source: PlaybackSource) async throws -> [AudioBuffer] {
  switch source {
  case .buffers(let buffers): return buffers
  case .preloaded(let sound): return sound.buffers
  case .stream(let stream): return try await stream.reduce(into: []) { $0.append($1) }
  case .file:
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let duration = try PreviewLength(of: source).duration ?? .zero
    return [AudioBuffer(silence: FrameCount(duration, at: format.sampleRate), format: format)]
  }
}
