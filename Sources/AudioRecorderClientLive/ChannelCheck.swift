import AudioRecorderClient

/// Throws where nothing has so many channels; nil stands for as many as the device has.
func checkChannels(_ count: Int?, of what: String) throws(AudioRecorderError) {
  guard let count, !(1...32).contains(count) else { return }
  throw .unsupportedFormat(reason: "\(what) has 1 to 32 channels, not \(count)")
}
