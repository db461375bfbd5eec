// Tests with the scripted engine also need the virtual sound card.
@_exported public import VirtualSoundCard
