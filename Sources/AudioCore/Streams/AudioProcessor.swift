/// A state machine between two streams: buffers go in, and what comes out of each is returned.
///
/// It knows neither tasks nor time, so that it runs in a stream (`processed(by:)`), on a thread of
/// your own, or step by step in a test. Every operator on streams of `AudioBuffer`s is one.
///
/// What it holds back must stay bounded, however long the audio is; `heldFrames` tells it.
public protocol AudioProcessor<Output, Failure> {
  /// What comes out: buffers, or what is told of them.
  associatedtype Output

  /// Why a buffer cannot be taken; `Never` where every buffer can.
  associatedtype Failure: Error = Never

  /// The frames that it holds back now.
  var heldFrames: FrameCount { get }

  /// Whether nothing more will come out, whatever goes in: the stream ends without asking on.
  var isOver: Bool { get }

  /// Takes the next buffer and gives what is complete with it, in order.
  mutating func take(_ buffer: AudioBuffer) throws(Failure) -> [Output]

  /// Gives the rest after the last buffer; it is called once, and nothing is taken afterwards.
  mutating func finish() throws(Failure) -> [Output]
}

extension AudioProcessor {
  /// Nothing is held back by a machine that gives every buffer at once.
  public var heldFrames: FrameCount { 0 }

  /// A machine goes on as long as its input does.
  public var isOver: Bool { false }

  /// There is no rest where nothing is held back.
  public mutating func finish() throws(Failure) -> [Output] { [] }
}
