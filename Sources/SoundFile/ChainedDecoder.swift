import AudioCore

/// Decodes one link behind the other, as one file.
final class ChainedDecoder: SoundDecoder {
  let format: AudioFormat
  let announcedFrameCount: FrameCount?
  let encodingDescription: String
  let tags: [AudioTag: String]

  /// Opens a link; nil behind the last one.
  private let open: (Int) throws -> (any SoundDecoder)?
  /// The first frames of the links, where they are known: those of a stream are not.
  private let starts: [Int]
  private let path: String
  private var link = 0
  private var decoder: any SoundDecoder
  private var error: SoundFileError?

  /// The links of a stream, or where there is only one, of whatever.
  init(path: String, _ open: @escaping (Int) throws -> (any SoundDecoder)?) throws {
    guard let first = try open(0) else { throw SoundFileError.empty(path: path) }
    (self.path, self.open, decoder) = (path, open, first)
    (format, encodingDescription, tags) = (first.format, first.encodingDescription, first.tags)
    (starts, announcedFrameCount) = ([], nil)
  }

  /// The links of a file.
  init(
    path: String, count: Int, _ open: @escaping (Int) throws -> (any SoundDecoder)?
  ) throws {
    guard let first = try open(0) else { throw SoundFileError.empty(path: path) }
    (self.path, self.open, decoder) = (path, open, first)
    (format, encodingDescription, tags) = (first.format, first.encodingDescription, first.tags)
    var starts = [0]
    for index in 0..<count {
      // One that cannot be opened is met, and reported, when its turn comes.
      let length = try? (index == 0 ? first : open(index))?.announcedFrameCount
      starts.append(starts[index] + (length?.rawValue ?? 0))
    }
    self.starts = starts
    announcedFrameCount = FrameCount(starts[count])
  }

  var isSeekable: Bool { !starts.isEmpty }

  var isCutOff: Bool { decoder.isCutOff }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while error == nil {
      done += decoder.read(target + done * format.channelCount, frames: frames - done)
      if done == frames { break }
      // What is wrong with this link is asked for by `failure`.
      guard decoder.failure(at: 0) == nil, goToNext() else { break }
    }
    return done
  }

  /// Goes on to the next link; false behind the last one, and where it cannot be read.
  private func goToNext() -> Bool {
    do {
      guard let next = try open(link + 1) else { return false }
      guard next.format == format else {
        throw SoundFileError.damaged(
          path: path, frame: 0, reason: "what follows is \(next.format), not \(format)")
      }
      (link, decoder) = (link + 1, next)
      return true
    } catch let failure as SoundFileError {
      error = failure
    } catch {
      self.error = .damaged(path: path, frame: 0, reason: "what follows cannot be read")
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
    return decoder.seek(to: frame - starts[index])
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if case .damaged(let path, _, let reason) = error {
      return .damaged(path: path, frame: frame, reason: reason)
    }
    return error ?? decoder.failure(at: frame)
  }
}
