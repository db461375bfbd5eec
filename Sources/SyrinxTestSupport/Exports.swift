// Tests with the scripted engine need the virtual card as well: one import brings both.
@_exported public import VirtualSoundCard
