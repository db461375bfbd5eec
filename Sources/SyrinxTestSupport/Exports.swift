// Whoever tests with the scripted engine needs the virtual card as well: one import brings both.
@_exported public import VirtualSoundCard
