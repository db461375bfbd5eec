import AudioCore
import AudioRecorderClient
import SoundFile

extension RollingPlan {
  /// Makes the file with the number `index`, or with the next one that no file has.
  ///
  /// Only a name that is as it was asked for replaces what is there. Of two recordings that find the
  /// same number free, the system gives it to one.
  ///
  /// - Parameter count: how many numbers are tried.
  func makeFile(
    from index: Int, atMost count: Int, format: AudioFormat, encoding: SoundFileEncoding
  ) throws(AudioRecorderError) -> (writer: SoundFileWriter, index: Int) {
    for number in index..<(index + count) {
      let url = file(number)
      do throws(SoundFileError) {
        let writer = try SoundFileWriter(
          url: url, format: format, encoding: encoding, replacesExisting: isAsWritten(number))
        return (writer, number)
      } catch .alreadyExists {
        continue
      } catch {
        throw AudioRecorderError(error, file: url)
      }
    }
    throw .file(
      file(index),
      reason: "it is there already, and so are the \(count - 1) after it; move them away")
  }
}
