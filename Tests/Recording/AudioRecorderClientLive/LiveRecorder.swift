import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import SoundCard
import VirtualSoundCard

/// Runs `body` with the live recorder on a sound card.
func withRecorder<Value: Sendable>(
  on card: VirtualSoundCard, _ body: (AudioRecorderClient) async throws -> Value
) async rethrows -> Value {
  try await withDependencies {
    $0.soundCard = card.soundCard
  } operation: {
    try await body(AudioRecorderClient.liveValue)
  }
}

/// Records on a sound card and returns all events.
@discardableResult
func record(
  _ request: RecordingRequest, on card: VirtualSoundCard
) async throws -> [RecordingEvent] {
  try await withRecorder(on: card) { recorder in
    try await recorder.recording(request: request).reduce(into: []) { $0.append($1) }
  }
}
