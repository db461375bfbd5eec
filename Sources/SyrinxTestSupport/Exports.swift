// With these exports, a test needs one import for the clients, the virtual card, and the conversion
// of issues to test failures.
@_exported public import AudioPlayerClient
@_exported public import AudioRecorderClient
@_exported public import ClientDependenciesTestSupport
@_exported public import SoundCard
@_exported public import SpeechClient
@_exported public import SpeechEngine
@_exported public import VirtualSoundCard
