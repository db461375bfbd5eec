import AudioCore
import AudioThreads
import FoundationEssentials
import Loudness
import SoundFile

/// The tags, pictures, cues, and chapters of a conversion's outputs.
struct ConversionMetadata: Sendable {
  /// The metadata of the whole result, at its rate.
  private(set) var whole: AudioMetadata
  /// The metadata that the outputs lack.
  private(set) var notices: [SoundFileNotice] = []

  private let rate: SampleRate
  private let partLength: FrameCount?
  /// The length of the whole result, if it is known.
  private let total: FrameCount?
  /// The tags from the caller, which replace those of the sources.
  private let requested: [AudioTag: [String]]
  /// Whether the sources have tags with a gain that players apply.
  let hasReplayGain: Bool

  /// Creates the metadata of the outputs.
  ///
  /// `later` contains the sources after the first source. `rate` is the rate of the result, and
  /// `container` is the format of the outputs.
  init(
    _ conversion: AudioConversion, _ input: ConversionInput, later: [LaterSource?],
    to rate: SampleRate, container: SoundFileEncoding.Container
  ) {
    self.rate = rate
    requested = conversion.tags
    total = input.total.map { FrameCount($0, at: rate) }
    if case .every(let length) = conversion.division {
      partLength = max(1, FrameCount(length, at: rate))
    } else {
      partLength = nil
    }
    whole = conversion.keepsMetadata ? input.first.metadata : AudioMetadata()
    notices = whole.notices
    whole.tags = whole.tags.filter { !$0.key.isDerived }
    hasReplayGain = whole.tags.keys.contains(where: AudioTag.replayGain.contains)
    addCues(of: later, input)
    let sourceRate = input.first.format.sampleRate
    if conversion.start > .zero || rate != sourceRate || partLength != nil {
      removeTimes(of: "iXML", reason: "the audio has another beginning or rate")
    }
    whole = whole.moved(to: (conversion.start, conversion.end), from: sourceRate, at: rate)
    if conversion.removesSilence { removePositions() }
    if conversion.sources.count > 1, conversion.normalization == nil {
      removeTags(AudioTag.replayGain, reason: "they describe one input")
    }
    apply(conversion)
    if container == .opus {
      whole.tags.moveReplayGainToOpus()
      removeTags(AudioTag.replayGainPeaks, reason: "players of Opus ignore them")
    }
    applyRequestedTags()
  }

  /// Sets the requested tags and the cover.
  private mutating func apply(_ conversion: AudioConversion) {
    if conversion.gain != Decibels(0) || conversion.normalization != nil { removeLevels() }
    if conversion.gain != Decibels(0), conversion.normalization == nil {
      let unknown = whole.tags.changeReplayGain(by: conversion.gain)
      removeTags(unknown, reason: "their values are not numbers")
    }
    if let cover = conversion.cover {
      whole.pictures.removeAll { $0.kind == cover.kind }
      whole.pictures.insert(cover, at: 0)
    }
  }

  private mutating func applyRequestedTags() {
    for (tag, values) in requested { whole.tags[tag] = values.isEmpty ? nil : values }
  }

  /// Removes the metadata that describes the level, because the conversion changes the level.
  private mutating func removeLevels() {
    let reason = "the level changes"
    removeTags(Set(whole.tags.keys.filter(\.isOfOldLevel)), reason: reason)
    for (index, chunk) in whole.chunks.enumerated() {
      guard let plain = chunk.withoutLevels else { continue }
      whole.chunks[index] = plain
      notices.append(.omitted("the loudness in the chunk bext", reason: reason))
    }
  }

  /// The name, metadata, rate, and length of a source after the first source.
  typealias LaterSource = (
    name: String, metadata: AudioMetadata, rate: SampleRate, length: FrameCount?
  )

  /// Adds the cues of the sources after the first, as long as all lengths before them are known.
  private mutating func addCues(of later: [LaterSource?], _ input: ConversionInput) {
    let rate = input.first.format.sampleRate
    var before = input.first.announcedFrameCount?.duration(at: rate)
    var added: [AudioCue] = []
    for source in later {
      guard let source else {
        before = nil
        continue
      }
      guard let start = before else {
        if !source.metadata.cues.isEmpty { omit(source.name) }
        continue
      }
      let ownRate = source.rate
      added += source.metadata.cues.map { cue in
        var cue = cue
        cue.frame = FrameCount(start + cue.frame.duration(at: ownRate), at: rate)
        cue.length = cue.length.map { FrameCount($0.duration(at: ownRate), at: rate) }
        // The end of a later source is unknown here, so an open chapter becomes a cue.
        cue.isOpen = false
        return cue
      }
      before = source.length.map { start + $0.duration(at: ownRate) }
    }
    guard !added.isEmpty else { return }
    whole.cues += added
    // These chunks hold only the cues of the first source, so they are removed.
    removeChunksWithPositions(reason: "its positions are those of the first input")
  }

  private mutating func omit(_ name: String) {
    notices.append(
      .omitted(
        "the cues and chapters of \(name)", reason: "the length of the input before it is unknown"))
  }

  /// Removes the times from the chunks with this name, and reports the loss.
  private mutating func removeTimes(of name: String, reason: String) {
    for (index, chunk) in whole.chunks.enumerated() where chunk.name == name {
      guard let plain = chunk.withoutTime else { continue }
      whole.chunks[index] = plain
      notices.append(.omitted("the times in the chunk \(name)", reason: reason))
    }
  }

  /// Removes all positions, because the removed silence makes them wrong.
  private mutating func removePositions() {
    let reason = "the removed silence changes the positions"
    for name in ["bext", "iXML"] { removeTimes(of: name, reason: reason) }
    let hasCues = !whole.cues.isEmpty
    removeChunksWithPositions(reason: reason)
    guard hasCues else { return }
    whole.cues = []
    notices.append(.omitted("the cues and chapters", reason: reason))
  }

  /// Removes the cue chunks and the `smpl` chunk.
  ///
  /// `notices` reports the loss of `smpl`, and of cue texts that `AudioCue` does not store.
  private mutating func removeChunksWithPositions(reason: String) {
    if whole.chunks.contains(where: \.hasNotes) {
      notices.append(.omitted("the notes of cues", reason: reason))
    }
    if whole.chunks.contains(where: { $0.name == "smpl" }) {
      notices.append(.omitted("the chunk smpl", reason: reason))
    }
    whole.chunks.removeAll { $0.hasCues || $0.name == "smpl" }
  }

  /// Returns the metadata of a part, counted from 1, with the part's length if it is known.
  func part(_ number: Int) -> AudioMetadata {
    var result = whole
    result.audioLength = total
    guard let partLength else { return result }
    let (start, overflow) = partLength.rawValue.multipliedReportingOverflow(by: number - 1)
    guard !overflow else { return whole }
    let first = FrameCount(start)
    let end = first + partLength
    result = whole.moved(
      to: (first.duration(at: rate), end.duration(at: rate)), from: rate, at: rate,
      includesEnd: end == total)
    result.audioLength = total.map { max(0, min(partLength, $0 - first)) }
    return result
  }

  /// Replaces the gain of the source with that of the result.
  ///
  /// - Parameters:
  ///   - loudness: the loudness of the result.
  ///   - peak: the peak amplitude of the result.
  mutating func setReplayGain(loudness: LoudnessLevel, peak: Double) {
    guard hasReplayGain else { return }
    guard loudness.lufs.isFinite else {
      return removeTags(AudioTag.replayGain, reason: "the result has no loudness")
    }
    whole.tags.setReplayGain(loudness: loudness, peak: peak)
    removeTags(AudioTag.albumReplayGain, reason: "they describe a whole album")
    applyRequestedTags()
  }

  /// Removes tags, except those that the caller set.
  private mutating func removeTags(_ tags: Set<AudioTag>, reason: String) {
    let found = tags.filter { whole.tags[$0] != nil && requested[$0] == nil }
    guard !found.isEmpty else { return }
    for tag in found { whole.tags[tag] = nil }
    let names = found.map(\.name).sorted().joined(separator: ", ")
    notices.append(.omitted("the tags \(names)", reason: reason))
  }
}

extension AudioConversion {
  /// Reads the metadata of the sources after the first source, for the cues of joined sources.
  ///
  /// The metadata is nil for a source that can be read only once or cannot be opened. The
  /// conversion later throws the error of a source that cannot be opened.
  func laterSources(_ interruption: WakeUp) -> [ConversionMetadata.LaterSource?] {
    guard keepsMetadata, combination == .joined else { return [] }
    return sources.dropFirst().map { source in
      guard source.isLocalFile, let reader = try? source.open(raw, interruption)
      else { return nil }
      return (source.name, reader.metadata, reader.format.sampleRate, reader.announcedFrameCount)
    }
  }

  /// Whether silence is removed, so that positions after it change.
  fileprivate var removesSilence: Bool {
    if case .silence = division { return true }
    return trimming != nil
  }
}
