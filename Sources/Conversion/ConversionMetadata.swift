import AudioCore
import AudioThreads
import FoundationEssentials
import Loudness
import SoundFile

/// The tags, pictures, cues, and chapters of a conversion's outputs.
struct ConversionMetadata: Sendable {
  /// Those of the whole result, at its rate.
  private(set) var whole: AudioMetadata
  /// What is not in the outputs.
  private(set) var notices: [SoundFileNotice] = []

  private let rate: SampleRate
  private let partLength: FrameCount?
  /// The length of the whole result, if it is known.
  private let total: FrameCount?
  /// The tags that replace all others.
  private let requested: [AudioTag: [String]]
  /// Whether the sources have the gain that players apply.
  let hasReplayGain: Bool

  /// - Parameter later: the sources after the first one.
  init(
    _ conversion: AudioConversion, _ input: any ConversionInput, later: [LaterSource?],
    to rate: SampleRate
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
    hasReplayGain = whole.tags.keys.contains { ReplayGain.all.contains($0) }
    addCues(of: later, input)
    whole = whole.moved(
      to: (conversion.start, conversion.end), from: input.first.format.sampleRate, at: rate)
    closeChapters(at: input.total)
    if conversion.removesSilence { removePositions() }
    if conversion.sources.count > 1, conversion.normalization == nil {
      removeTags(ReplayGain.all, reason: "it is that of one input")
    }
    apply(conversion)
  }

  /// Sets the requested tags and the cover.
  private mutating func apply(_ conversion: AudioConversion) {
    if conversion.gain != Decibels(0) || conversion.normalization != nil { removeLevels() }
    if conversion.gain != Decibels(0), conversion.normalization == nil {
      ReplayGain.change(&whole.tags, by: conversion.gain)
    }
    applyRequestedTags()
    if let cover = conversion.cover {
      whole.pictures.removeAll { $0.kind == cover.kind }
      whole.pictures.insert(cover, at: 0)
    }
  }

  private mutating func applyRequestedTags() {
    for (tag, values) in requested { whole.tags[tag] = values.isEmpty ? nil : values }
  }

  /// Removes what describes the level before it changed.
  private mutating func removeLevels() {
    let reason = "the level changes"
    removeTags(Set(whole.tags.keys.filter(ReplayGain.isOfOldLevel)), reason: reason)
    for (index, chunk) in whole.chunks.enumerated() {
      guard let plain = chunk.withoutLevels else { continue }
      whole.chunks[index] = plain
      notices.append(.omitted("the loudness in the chunk bext", reason: reason))
    }
  }

  /// A source after the first one.
  typealias LaterSource = (
    name: String, metadata: AudioMetadata, rate: SampleRate, length: FrameCount?
  )

  /// Adds the cues of the sources after the first, as far as the lengths before them are known.
  private mutating func addCues(of later: [LaterSource?], _ input: any ConversionInput) {
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
        return cue
      }
      before = source.length.map { start + $0.duration(at: ownRate) }
    }
    guard !added.isEmpty else { return }
    whole.cues += added
    // These chunks hold only the cues of the first source.
    removeChunksWithPositions(reason: "its positions are those of the first input")
  }

  private mutating func omit(_ name: String) {
    notices.append(
      .omitted(
        "the cues and chapters of \(name)", reason: "the length of the input before it is unknown"))
  }

  /// Ends chapters of unknown length at the end of the audio.
  private mutating func closeChapters(at total: Duration?) {
    guard let total else { return }
    let end = FrameCount(total, at: rate)
    for index in whole.cues.indices {
      guard let length = whole.cues[index].length else { continue }
      let most = max(0, end - whole.cues[index].frame)
      whole.cues[index].length = min(length, most)
    }
  }

  /// Removes all positions, which removed silence would change.
  private mutating func removePositions() {
    let reason = "the removed silence changes the positions"
    for (index, chunk) in whole.chunks.enumerated() {
      guard let plain = chunk.withoutTime else { continue }
      whole.chunks[index] = plain
      notices.append(.omitted("the time reference in the chunk bext", reason: reason))
    }
    let hasCues = !whole.cues.isEmpty
    removeChunksWithPositions(reason: reason)
    guard hasCues else { return }
    whole.cues = []
    notices.append(.omitted("the cues and chapters", reason: reason))
  }

  /// Removes chunks with positions, and reports the sampler, whose loops are in no cue.
  private mutating func removeChunksWithPositions(reason: String) {
    let hasSampler = whole.chunks.contains { $0.name == "smpl" }
    whole.chunks.removeAll(where: \.hasPositions)
    if hasSampler { notices.append(.omitted("the chunk smpl", reason: reason)) }
  }

  /// The metadata of a part, counted from 1.
  func part(_ number: Int) -> AudioMetadata {
    guard let partLength else { return whole }
    let (start, overflow) = partLength.rawValue.multipliedReportingOverflow(by: number - 1)
    guard !overflow else { return whole }
    let first = FrameCount(start)
    let end = first + partLength
    return whole.moved(
      to: (first.duration(at: rate), end.duration(at: rate)), from: rate, at: rate,
      includesEnd: end == total)
  }

  /// Replaces the gain of the source by that of the result.
  ///
  /// - Parameters:
  ///   - loudness: the loudness of the result.
  ///   - peak: its highest amplitude.
  mutating func setReplayGain(loudness: LoudnessLevel, peak: Double) {
    guard hasReplayGain else { return }
    guard loudness.lufs.isFinite else {
      return removeTags(ReplayGain.all, reason: "the result has no loudness")
    }
    ReplayGain.set(&whole.tags, loudness: loudness, peak: peak)
    removeTags(ReplayGain.album, reason: "only a whole album has it")
    applyRequestedTags()
  }

  /// Removes tags that nobody requested.
  private mutating func removeTags(_ tags: Set<AudioTag>, reason: String) {
    let found = tags.filter { whole.tags[$0] != nil && requested[$0] == nil }
    guard !found.isEmpty else { return }
    for tag in found { whole.tags[tag] = nil }
    let names = found.map(\.name).sorted().joined(separator: ", ")
    notices.append(.omitted("the tags \(names)", reason: reason))
  }
}

extension AudioConversion {
  /// Reads the metadata of the sources after the first one, for the cues of joined sources.
  ///
  /// It is nil for sources that can be read only once, and for those that cannot be opened, which the
  /// conversion reports.
  func laterSources(_ interruption: WakeUp) -> [ConversionMetadata.LaterSource?] {
    guard keepsMetadata, combination == .joined else { return [] }
    return sources.dropFirst().map { source in
      guard source.isLocalFile, let reader = try? source.open(interruption) else { return nil }
      return (source.name, reader.metadata, reader.format.sampleRate, reader.announcedFrameCount)
    }
  }

  /// Whether silence is removed, so that positions after it change.
  fileprivate var removesSilence: Bool {
    if case .silence = division { return true }
    return trimming != nil
  }
}

extension AudioMetadata.Chunk {
  /// Whether it has positions in the audio.
  fileprivate var hasPositions: Bool {
    ["cue ", "smpl"].contains(name) || (name == "LIST" && content.starts(with: "adtl".utf8))
  }
}

/// The tags with the gain that players apply.
private enum ReplayGain {
  private static let trackGain = AudioTag("REPLAYGAIN_TRACK_GAIN")
  private static let trackPeak = AudioTag("REPLAYGAIN_TRACK_PEAK")
  private static let albumGain = AudioTag("REPLAYGAIN_ALBUM_GAIN")
  private static let albumPeak = AudioTag("REPLAYGAIN_ALBUM_PEAK")
  private static let opusTrack = AudioTag("R128_TRACK_GAIN")
  private static let opusAlbum = AudioTag("R128_ALBUM_GAIN")
  private static let range = AudioTag("REPLAYGAIN_ALBUM_RANGE")

  static let album: Set = [albumGain, albumPeak, opusAlbum, range]
  static let all = album.union([trackGain, trackPeak, opusTrack])

  /// Whether a tag describes a level and is not computed again.
  static func isOfOldLevel(_ tag: AudioTag) -> Bool {
    tag.name.hasPrefix("MP3GAIN_") || tag.name == "REPLAYGAIN_TRACK_RANGE"
  }

  /// The loudness that players reach with ReplayGain 2.0, and with Opus.
  private static let (target, opusTarget) = (-18.0, -23.0)

  static func set(_ tags: inout [AudioTag: [String]], loudness: LoudnessLevel, peak: Double) {
    if tags[opusTrack] != nil { tags[opusTrack] = [fixed(opusTarget - loudness.lufs)] }
    guard tags[trackGain] != nil || tags[trackPeak] != nil else { return }
    tags[trackGain] = [decibels(target - loudness.lufs)]
    tags[trackPeak] = [decimal(peak, digits: 6)]
  }

  /// Corrects the tags for audio that became louder or quieter.
  static func change(_ tags: inout [AudioTag: [String]], by gain: Decibels) {
    for tag in [trackGain, albumGain] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [decibels(old - gain.value)]
    }
    for tag in [trackPeak, albumPeak] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [decimal(old * gain.amplitude, digits: 6)]
    }
    for tag in [opusTrack, opusAlbum] {
      guard let old = number(tags[tag]) else { continue }
      tags[tag] = [fixed(old / 256 - gain.value)]
    }
  }

  private static func number(_ values: [String]?) -> Double? {
    let text = values?.first?.split(separator: " ").first ?? ""
    return Double(text).flatMap { abs($0) < 100_000 ? $0 : nil }
  }

  private static func decibels(_ value: Double) -> String { decimal(value, digits: 2) + " dB" }

  /// A number of 256ths of a dB, as Opus has it.
  private static func fixed(_ value: Double) -> String {
    "\(Int16(clamping: Int(clamping: (value * 256).rounded())))"
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int(clamping: (abs(value) * Double(scale)).rounded())
    let (integer, fraction) = whole.quotientAndRemainder(dividingBy: scale)
    let text = "\(fraction)"
    let zeros = String(repeating: "0", count: max(0, digits - text.count))
    return (value < 0 && whole > 0 ? "-" : "") + "\(integer).\(zeros)\(text)"
  }
}
