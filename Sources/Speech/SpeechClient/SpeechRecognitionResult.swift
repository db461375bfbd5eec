public import AudioCore

/// A partial or final result of one utterance.
public struct SpeechRecognitionResult: Hashable, Sendable {
  /// The number of the utterance in the task, counted from 0; only utterances with results are
  /// counted.
  ///
  /// If a number has partial results but no final result, its utterance was dropped.
  public var utterance: Int

  /// The best transcription and its alternatives, the likeliest first.
  ///
  /// There is at least one transcription; a final result has up to `SpeechRequest.alternativeCount`
  /// more.
  public var transcriptions: [Transcription]

  /// Whether this is the utterance's last result; any other result is replaced by the next result.
  public var isFinal: Bool {
    didSet { if isFinal { settledCount = 0 } }
  }

  /// The speaking rate and pauses; nil in partial results.
  public var speechRecognitionMetadata: SpeechRecognitionMetadata?

  /// The language that the engine detected in the utterance; nil if `SpeechRequest.locale` names the
  /// language, if the engine detects none, or in partial results before the detection.
  public var language: SpokenLanguage?

  /// The channel of the utterance, counted from 0; nil for mono audio, or unless
  /// `SpeechRequest.channels` is `separate`.
  public var channel: Int?

  /// The number of channels of the audio; nil without a `channel`.
  package var channelCount: Int?

  private var settledCount: Int

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - utterance: the number of the utterance in the task, counted from 0.
  ///   - bestTranscription: the likeliest transcription.
  ///   - alternatives: other transcriptions, the likeliest first.
  ///   - isFinal: whether this is the utterance's last result.
  ///   - stableSegmentCount: the number of stable words in a partial result; in a final result, all
  ///     words are stable.
  ///   - speechRecognitionMetadata: speaking rate and pauses; nil in partial results.
  public init(
    utterance: Int, bestTranscription: Transcription, alternatives: [Transcription] = [],
    isFinal: Bool, stableSegmentCount: Int = 0,
    speechRecognitionMetadata: SpeechRecognitionMetadata? = nil
  ) {
    self.utterance = utterance
    transcriptions = [bestTranscription] + alternatives
    self.isFinal = isFinal
    // In a final result, `stableSegmentCount` is the number of all segments, so `settledCount` is
    // unused. It is 0, so that it does not affect equality.
    settledCount = isFinal ? 0 : stableSegmentCount
    self.speechRecognitionMetadata = speechRecognitionMetadata
  }

  /// Creates a result from a text, for fakes and previews in which the times of the words are
  /// irrelevant.
  ///
  /// Each word takes 400 ms, the first beginning at `start`; a final result has metadata.
  ///
  /// - Parameters:
  ///   - text: the words, with white space between them.
  ///   - isFinal: whether this is the utterance's last result.
  ///   - utterance: the number of the utterance in the task, counted from 0.
  ///   - start: the start of the first word, from the beginning of the audio.
  public init(_ text: String, isFinal: Bool, utterance: Int = 0, start: Duration = .zero) {
    let length = Duration.milliseconds(400)
    let words = text.split(whereSeparator: \.isWhitespace).enumerated().map { index, word in
      TranscriptionSegment(
        substring: String(word), timestamp: start + length * index, duration: length)
    }
    let transcription = Transcription(segments: words, hasEstimatedTimes: true)
    self.init(
      utterance: utterance, bestTranscription: transcription, isFinal: isFinal,
      speechRecognitionMetadata: isFinal ? SpeechRecognitionMetadata(transcription) : nil)
  }

  /// The likeliest transcription.
  public var bestTranscription: Transcription {
    get { transcriptions.first ?? Transcription(segments: []) }
    set { transcriptions = [newValue] + transcriptions.dropFirst() }
  }

  /// The number of stable words at the beginning of the best transcription; in a final result, all
  /// words are stable.
  ///
  /// Words are stable, but not their spelling. Later results of the utterance, including the final
  /// result, begin with the same words after the normalization of `WordNormalization.spoken`. Case,
  /// hyphens, punctuation, timestamps, and the number of words may change: "ten" may become "10",
  /// "metre" meter, and "can not" cannot. A word with digits becomes stable only in the final
  /// result, and so do the words after it.
  ///
  /// Every result is the engine's own text, with the spelling of the contextual phrases. If the
  /// engine contradicts a stable word, which is rare, the count falls to the number of words before
  /// that word.
  public var stableSegmentCount: Int {
    get {
      let count = bestTranscription.segments.count
      return isFinal ? count : max(0, min(settledCount, count))
    }
    set { settledCount = isFinal ? 0 : newValue }
  }

  /// The stable words.
  ///
  /// Later results add words, and remove words only if the engine contradicts a stable word. See
  /// `stableSegmentCount`.
  public var stablePrefix: Transcription {
    var prefix = bestTranscription
    prefix.segments.removeLast(prefix.segments.count - stableSegmentCount)
    return prefix
  }

  /// The words that are not stable, so that the next result may change them; empty in a final
  /// result.
  public var volatileTail: Transcription {
    var tail = bestTranscription
    tail.segments.removeFirst(stableSegmentCount)
    return tail
  }
}

/// The speaking rate and pauses of an utterance, in the terms of Apple's Speech framework.
public struct SpeechRecognitionMetadata: Hashable, Sendable {
  /// The shortest silence between two words that counts as a pause.
  public static let shortestPause = Duration.milliseconds(50)

  /// The words per minute, from the start of the first word to the end of the last word; 0 if that
  /// duration is zero.
  public var speakingRate: Double

  /// The average length of the pauses between the words; zero if there are no pauses.
  public var averagePauseDuration: Duration

  /// The start of the first word, from the beginning of the audio (frame 0 of its buffers).
  public var speechStartTimestamp: Duration

  /// The duration from the start of the first word to the end of the last word.
  public var speechDuration: Duration

  /// Creates metadata.
  public init(
    speakingRate: Double, averagePauseDuration: Duration, speechStartTimestamp: Duration,
    speechDuration: Duration
  ) {
    self.speakingRate = speakingRate
    self.averagePauseDuration = averagePauseDuration
    self.speechStartTimestamp = speechStartTimestamp
    self.speechDuration = speechDuration
  }

  /// Creates metadata from the timestamps of the words; nil if there are no words.
  public init?(_ transcription: Transcription) {
    let segments = transcription.segments
    guard let first = segments.first, let last = segments.last else { return nil }
    speechStartTimestamp = first.timestamp
    speechDuration = last.end - first.timestamp
    let words = segments.reduce(0) { $0 + $1.substring.split(separator: " ").count }
    speakingRate = speechDuration > .zero ? Double(words) * (.seconds(60) / speechDuration) : 0
    let pauses = zip(segments, segments.dropFirst())
      .map { $1.timestamp - $0.end }
      .filter { $0 >= Self.shortestPause }
    averagePauseDuration =
      pauses.isEmpty ? .zero : pauses.reduce(.zero, +) / pauses.count
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}

/// The words of an utterance.
public struct Transcription: Hashable, Sendable {
  /// The words in order.
  public var segments: [TranscriptionSegment]

  /// Whether the words' timestamps and durations are estimated from the words' lengths, because the
  /// engine does not measure them.
  ///
  /// Even with estimates, the words are in order and within the utterance.
  public var hasEstimatedTimes: Bool

  /// Creates a transcription from its words.
  public init(segments: [TranscriptionSegment], hasEstimatedTimes: Bool = false) {
    self.segments = segments
    self.hasEstimatedTimes = hasEstimatedTimes
  }

  /// The words as one text, with spaces between them if their script has spaces.
  ///
  /// There is no space beside a Chinese or Japanese letter or mark, except next to a Korean word,
  /// and no space between two letters of Thai, Lao, Khmer, or Burmese.
  public var formattedString: String { segments.map(\.substring).joinedAsWritten }
}

/// A word with its timestamp and duration.
public struct TranscriptionSegment: Hashable, Sendable {
  /// The word.
  public var substring: String

  /// The start of the word, from the beginning of the audio (frame 0 of its buffers).
  public var timestamp: Duration

  /// The duration of the word.
  public var duration: Duration

  /// The engine's confidence, 0…1; nil in partial results, and for an engine without confidences.
  public var confidence: Double?

  /// The corresponding words of the result's alternatives, the likeliest first.
  ///
  /// They differ from the word and from each other.
  public var alternativeSubstrings: [String]

  /// Creates a word.
  public init(
    substring: String, timestamp: Duration, duration: Duration, confidence: Double? = nil,
    alternativeSubstrings: [String] = []
  ) {
    self.substring = substring
    self.timestamp = timestamp
    self.duration = duration
    self.confidence = confidence
    self.alternativeSubstrings = alternativeSubstrings
  }
}

extension Collection<String> {
  /// The words or lines as one text, with spaces between them if their script has spaces.
  ///
  /// There is no space beside a Chinese or Japanese letter or mark, except next to a Korean word,
  /// and no space between two letters of Thai, Lao, Khmer, or Burmese.
  package var joinedAsWritten: String {
    reduce(into: "") { text, word in
      text += text.separator(before: word) + word
    }
  }
}

extension String {
  /// Returns the separator between the text and a following word: a space or nothing.
  package func separator(before word: String) -> String {
    guard let last, let first = word.first, !last.isNewline, !first.isNewline else { return "" }
    if last.isKorean || first.isKorean { return " " }
    if last.isChineseOrJapanese || first.isChineseOrJapanese { return "" }
    return last.isSouthEastAsian && first.isSouthEastAsian ? "" : " "
  }
}

extension Character {
  /// Whether the character's script has no spaces between words, so that each letter counts as a
  /// word.
  package var hasNoSpaces: Bool { isChineseOrJapanese || isSouthEastAsian }

  /// Whether the character is Chinese, Japanese, or Korean, which are twice as wide as Latin letters.
  package var isWide: Bool { isChineseOrJapanese || isKorean }

  fileprivate var isKorean: Bool {
    switch firstScalar {
    case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: true
    default: false
    }
  }

  /// Whether the character is a Chinese or Japanese letter or mark.
  fileprivate var isChineseOrJapanese: Bool {
    switch firstScalar {
    // Radicals, marks, kana, and letters; full-width marks; the planes of rare letters.
    case 0x2E80...0x312F, 0x3190...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
      0xFE30...0xFE4F, 0xFF00...0xFF9F, 0xFFE0...0xFFEF, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
      true
    default: false
    }
  }

  /// Whether the character is a Thai, Lao, Khmer, or Burmese letter.
  fileprivate var isSouthEastAsian: Bool {
    switch firstScalar {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x19E0...0x19FF, 0xA9E0...0xA9FF,
      0xAA60...0xAA7F:
      true
    default: false
    }
  }

  private var firstScalar: UInt32 { unicodeScalars.first?.value ?? 0 }
}
