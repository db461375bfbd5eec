public import AudioCore
public import Foundation

/// What to record, from what, and into which file.
public struct RecordingRequest: Hashable, Sendable {
  /// The file; one that exists is replaced.
  public var url: URL

  /// The file's format, or nil for the one that its extension names.
  public var fileFormat: RecordingFileFormat?

  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The file's rate, or nil for the device's.
  public var sampleRate: SampleRate?

  /// The file's number of channels, or nil for the device's.
  public var channelCount: Int?

  /// The length, counted in frames, after which the recording ends by itself; nil for no limit.
  public var maximumDuration: Duration?

  /// A request that records from the default device as it comes, until it is stopped, unless it
  /// says otherwise.
  public init(
    url: URL, fileFormat: RecordingFileFormat? = nil, device: AudioDevice.ID? = nil,
    sampleRate: SampleRate? = nil, channelCount: Int? = nil, maximumDuration: Duration? = nil
  ) {
    self.url = url
    self.fileFormat = fileFormat
    self.device = device
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.maximumDuration = maximumDuration
  }
}
