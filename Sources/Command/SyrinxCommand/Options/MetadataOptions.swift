import ArgumentParser
import Conversion
import FilePaths
import FoundationEssentials
import Glibc
import SoundFile

/// The options of `syrinx convert` that change tags and pictures.
struct MetadataOptions: ParsableArguments {
  /// The maximum size of a picture in bytes; every format with pictures can store this size.
  private static let largestCover = 16_000_000

  @Option(
    parsing: .unconditionalSingleValue,
    help: .value(
      "name=value",
      """
      Tag to set, for example ARTIST=Ann; repeat it for more. It replaces the values of the inputs, \
      and an empty value removes them.
      """), transform: Self.tagValue)
  var tag: [(name: AudioTag, text: String)] = []

  @Option(
    help: .value("file", "Picture for the cover: PNG, JPEG, GIF, WebP, or BMP, up to 16 MB."))
  var cover: FilePath?

  @Flag(help: "Keep no tags, pictures, cues, or chapters of the inputs; --tag and --cover apply.")
  var noTags = false

  /// - Throws: `CommandFailure` if the cover is not a readable picture.
  func apply(to conversion: inout AudioConversion) throws(CommandFailure) {
    conversion.keepsMetadata = !noTags
    for tag in tag {
      conversion.tags[tag.name, default: []] += tag.text.isEmpty ? [] : [tag.text]
    }
    conversion.cover = try picture()
  }

  /// Reads the cover; nil if none was requested.
  private func picture() throws(CommandFailure) -> AudioPicture? {
    guard let cover else { return nil }
    guard let status = cover.status else {
      throw CommandFailure("\(cover): there is no such file.")
    }
    guard status.isRegularFile else { throw CommandFailure("\(cover) is not a regular file.") }
    guard status.st_size <= Self.largestCover else {
      throw CommandFailure("\(cover) is larger than 16 MB; choose a smaller cover.")
    }
    guard let bytes = try? Data(contentsOf: cover.url) else {
      throw CommandFailure("\(cover) cannot be read; check it with `ls -l`.")
    }
    guard let picture = AudioPicture(file: [UInt8](bytes)) else {
      throw CommandFailure("\(cover) is not PNG, JPEG, GIF, WebP, or BMP; choose another cover.")
    }
    return picture
  }

  /// Reads a tag in the form `ARTIST=Ann`; the text is empty to remove the tag.
  ///
  /// - Throws: `ValidationError` unless every format can store the name.
  private static func tagValue(_ argument: String) throws -> (name: AudioTag, text: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = AudioTag(String(parts[0]))
    guard parts.count == 2, name.isStorable, !argument.contains("\0") else {
      throw ValidationError("give a tag such as ARTIST=Ann, with a name of visible ASCII.")
    }
    return (name, String(parts[1]))
  }
}
