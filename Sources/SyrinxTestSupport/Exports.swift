// A test needs one import: the clients, the virtual card, and what makes issues fail tests.
@_exported public import AudioPlayerClient
@_exported public import AudioRecorderClient
@_exported public import ClientDependenciesTestSupport
@_exported public import SoundCard
@_exported public import SpeechClient
@_exported public import SpeechEngine
@_exported public import VirtualSoundCard
