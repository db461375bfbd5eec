import AudioCore
import AudioThreads
import FoundationEssentials

/// The report of ffprobe about a file that FFmpeg decodes.
struct FFprobeReport: Decodable {
  /// The properties of a stream, of the file, or of a chapter.
  private struct Section: Decodable {
    let codec_type: String?
    let codec_name: String?
    let codec_long_name: String?
    let bits_per_sample: Int?
    let bits_per_raw_sample: String?
    let nb_streams: Int?
    let format_name: String?
    let format_long_name: String?
    var duration: String?
    let start_time: String?
    let end_time: String?
    let size: String?
    let bit_rate: String?
    var tags: [String: String]?
    let disposition: [String: Int]?
  }

  /// The keys of the properties above, as an option of ffprobe.
  static let entries =
    "format=nb_streams,format_name,format_long_name,duration,size,bit_rate:format_tags"
    + ":stream=codec_type,codec_name,codec_long_name,bits_per_sample,bits_per_raw_sample,duration"
    + ",start_time,bit_rate"
    + ":stream_tags:stream_disposition=attached_pic:chapter=start_time,end_time:chapter_tags=title"

  /// The plausible times in seconds: up to ten years.
  private static let possibleTimes = 0.0...315_360_000

  /// The plausible bit rates.
  private static let possibleBitRates = 1...1_000_000_000_000

  private var streams: [Section]?
  private var format: Section?
  private let chapters: [Section]?

  /// The first audio stream, which FFmpeg decodes.
  private var stream: Section? {
    streams?.first { $0.codec_type == "audio" || $0.codec_type == nil }
  }

  /// Whether there are pictures, which FFmpeg reports as streams of video.
  private var hasPictures: Bool {
    streams?.contains { $0.disposition?["attached_pic"] == 1 } == true
  }

  /// The human-readable container: `Matroska / WebM`.
  var container: String? { format?.format_long_name }

  /// The human-readable encoding: `AAC (Advanced Audio Coding)`.
  var encoding: String? { stream?.codec_long_name ?? stream?.codec_name }

  /// The stored bits per sample, and their sample format; nil for a lossy codec.
  var stored: StoredSamples? {
    let isPCM = stream?.codec_name?.hasPrefix("pcm_") == true
    let raw = stream?.bits_per_raw_sample.flatMap { Int($0) }
    let bits = [raw, isPCM ? stream?.bits_per_sample : nil].lazy.compactMap(\.self)
      .first { (1...64).contains($0) }
    let isFloat = stream?.codec_name?.hasPrefix("pcm_f") == true
    return bits.map { ($0, isFloat ? .float : .integers($0)) }
  }

  /// The length of the audio, or of the file if only the file's length is known.
  ///
  /// The headers of streams, such as RealMedia, contain the length 0, which means unknown.
  var duration: Duration? {
    [stream?.duration, format?.duration].lazy.compactMap(Self.time).first { $0 > .zero }
  }

  /// The length of the audio alone; nil if it is unknown, as in an MPEG stream.
  ///
  /// An MPEG stream has only the timestamp of each packet, and timestamps may restart in the
  /// middle.
  var audioDuration: Duration? {
    guard !["mpegts", "mpeg"].contains(format?.format_name) else { return nil }
    if let duration = Self.time(stream?.duration) { return duration }
    // Matroska stores the time of the end, so the start is subtracted.
    let end = stream?.tags?["DURATION"].flatMap(Self.clockTime)
    let file = format?.nb_streams == 1 ? Self.time(format?.duration) : nil
    return (end ?? file).map { $0 - (Self.time(stream?.start_time) ?? .zero) }
  }

  /// Returns the duration in a text such as `00:00:04.000000000`.
  private static func clockTime(_ text: String) -> Duration? {
    let parts = text.split(separator: ":").compactMap { Double($0) }
    guard parts.count == 3 else { return nil }
    return time("\(parts.reduce(0) { $0 * 60 + $1 })")
  }

  /// The size of the file in bytes, as a web server announces it.
  var byteCount: Int? { format?.size.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

  /// The bit rate of the audio, or of the file if only the file's bit rate is known.
  var bitRate: Int? {
    [stream?.bit_rate, format?.bit_rate].lazy.compactMap { $0.flatMap { Int($0) } }
      .first(where: Self.possibleBitRates.contains)
  }

  /// The tags of the audio stream, where Ogg stores them, and of the file; the tags of the file
  /// take precedence.
  private var tags: [AudioTag: [String]] {
    Self.tags(stream?.tags).merging(Self.tags(format?.tags)) { $1 }
  }

  private static func tags(_ texts: [String: String]?) -> [AudioTag: [String]] {
    var tags: [AudioTag: [String]] = [:]
    for (name, text) in texts ?? [:] where !ownNames.contains(name.lowercased()) {
      tags.add(names[name.lowercased()] ?? name, text)
    }
    return tags
  }

  /// The tags for which FFmpeg uses an uncommon name.
  private static let names = [
    "track": AudioTag.trackNumber.name, "disc": "DISCNUMBER", "album_artist": "ALBUMARTIST",
  ]
  /// The names of the tags in which FFmpeg describes the container.
  private static let ownNames: Set = [
    "major_brand", "minor_version", "compatible_brands", "handler_name", "vendor_id", "duration",
    "creation_time",
  ]

  /// Returns the tags and the chapters.
  func metadata(at rate: SampleRate) -> AudioMetadata {
    var metadata = AudioMetadata(
      tags: tags,
      cues: (chapters ?? []).compactMap { chapter in
        guard let start = Self.time(chapter.start_time) else { return nil }
        let frame = FrameCount(start, at: rate)
        let length = Self.time(chapter.end_time).map { FrameCount($0, at: rate) - frame }
        return AudioCue(frame: frame, name: chapter.tags?["title"] ?? "", length: length)
      })
    if hasPictures {
      metadata.notices = [
        .omitted("the pictures", reason: "FFmpeg's formats are read without them")
      ]
    }
    return metadata
  }

  private static func time(_ text: String?) -> Duration? {
    guard let seconds = text.flatMap({ Double($0) }), possibleTimes.contains(seconds) else {
      return nil
    }
    return .seconds(clamping: seconds)
  }
}

extension FFprobeReport {
  /// The longest report in bytes; only abusive tags exceed it.
  private static let longest = 4 << 20

  /// Runs ffprobe; returns nil if it is not installed, is interrupted, or reports more than 4 MiB.
  ///
  /// When `interruption` is signaled, ffprobe ends at once.
  ///
  /// - Throws: `SoundFileError` with the message of ffprobe if it fails.
  init?(
    _ input: FFmpeg.Input, path: String, interruption: WakeUp
  ) throws(SoundFileError) {
    // ffprobe ends when the last reference to `child` is released.
    guard let child = try FFmpeg(describing: input, path: path) else { return nil }
    let stream = StreamInput(source: child.output, path: path, interruption: interruption)
    var bytes: [UInt8] = []
    while bytes.count <= Self.longest {
      let more = try stream.next(atMost: 1 << 16)
      if more.isEmpty { break }
      bytes += more
    }
    if child.hasFailed() {
      let complaints = child.complaints
      let complaint = (complaints.last(where: \.isError) ?? complaints.last)?.text ?? "a failure"
      throw .cannotRead(path: path, reason: "ffprobe reports: \(complaint)")
    }
    guard let report = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = report
    if child.complaints.contains(where: { $0.text.contains("Estimating duration") }) {
      removeDurations()
    }
  }

  /// Removes the lengths, because FFmpeg's estimates from the bit rate can be far from the actual
  /// lengths.
  mutating func removeDurations() {
    streams = streams?.map { stream in
      var stream = stream
      stream.duration = nil
      stream.tags?["DURATION"] = nil
      return stream
    }
    format?.duration = nil
  }
}
