import AudioCore
import AudioThreads

/// Decodes a chain of concatenated files, called links, as one file.
final class ChainedDecoder: SoundDecoder {
  let format: AudioFormat
  let announcedFrameCount: FrameCount?
  let encodingDescription: String
  var metadata: AudioMetadata

  /// Opens a link; returns nil after the last link.
  private let open: (Int) throws -> (any SoundDecoder)?
  /// The first frame of each link; empty if unknown, as in a stream.
  private let starts: [Int]
  private let path: String
  private var link = 0
  private var decoder: any SoundDecoder
  /// The notices about the links before the current link.
  private var pastNotices: [SoundFileNotice] = []
  private var error: SoundFileError?
  /// The format of the next link of the chain, if it differs from this decoder's format; the audio
  /// then ends before that link.
  private var otherFormat: String?

  /// Creates a decoder of a file's links; `count` is their number, or nil for a stream.
  init(
    path: String, count: Int? = nil, _ open: @escaping (Int) throws -> (any SoundDecoder)?
  ) throws {
    guard let first = try open(0) else { throw SoundFileError.empty(path: path) }
    (self.path, self.open, decoder) = (path, open, first)
    (format, encodingDescription) = (first.format, first.encodingDescription)
    metadata = first.metadata
    guard let count else {
      (starts, announcedFrameCount) = ([], nil)
      return
    }
    let lengths = (0..<count).map { index -> FrameCount? in
      // A link that cannot be opened counts as empty here, and is reported when decoding reaches
      // it.
      guard let link = try? (index == 0 ? first : open(index)) else { return .zero }
      return link.announcedFrameCount
    }
    var ends: [FrameCount?] = [.zero]
    for length in lengths { ends.append(FrameCount.sum(announced: [ends.last ?? nil, length])) }
    announcedFrameCount = ends.last ?? nil
    starts = announcedFrameCount == nil ? [] : ends.compactMap { $0?.rawValue }
  }

  /// Decodes the parts of a stream; `open` opens the decoder of each part.
  convenience init(
    path: String, parts: @escaping () throws(SoundFileError) -> Descriptor?,
    _ open: @escaping (Descriptor) throws -> any SoundDecoder
  ) throws {
    try self.init(path: path) { _ in try parts().map(open) }
  }

  var stored: StoredSamples? { decoder.stored }

  var notices: [SoundFileNotice] {
    pastNotices + decoder.notices.filter { !pastNotices.contains($0) }
  }

  var isSeekable: Bool { !starts.isEmpty }

  var isCutOff: Bool { decoder.isCutOff }

  var formatChange: String? { otherFormat ?? decoder.formatChange }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while error == nil, otherFormat == nil {
      done += decoder.read(target + done * format.channelCount, frames: frames - done)
      if done == frames { break }
      // If this link is damaged, the read ends here, and `failure` reports the damage.
      guard decoder.failure(at: 0) == nil, goToNext() else { break }
    }
    return done
  }

  /// Advances to the next link; returns false if there is none, or if it cannot be read.
  private func goToNext() -> Bool {
    do {
      guard let next = try open(link + 1) else { return false }
      guard next.format == format else {
        otherFormat = "\(next.format)"
        return false
      }
      pastNotices = notices
      (link, decoder) = (link + 1, next)
      return true
    } catch let failure as SoundFileError {
      error = failure
    } catch {
      self.error = .damaged(path: path, frame: 0, reason: "the next part cannot be read")
    }
    return false
  }

  func seek(to frame: Int) -> Bool {
    guard isSeekable else { return false }
    let index = min(starts.lastIndex { $0 <= frame } ?? 0, starts.count - 2)
    if index != link || error != nil {
      guard let found = try? open(index), found.format == format else { return false }
      (link, decoder, error) = (index, found, nil)
    }
    otherFormat = nil
    return decoder.seek(to: frame - starts[index])
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if case .damaged(let path, _, let reason) = error {
      return .damaged(path: path, frame: frame, reason: reason)
    }
    return error ?? decoder.failure(at: frame)
  }
}
