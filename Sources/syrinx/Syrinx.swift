import ALSASoundCard
import AudioPlayerClientLive
import AudioRecorderClientLive
import PocketSphinxEngine
import SpeechClientLive
import SyrinxCommand

/// The command: the live values of the modules imported here are what it works with.
@main
enum Syrinx {
  static func main() {
    CommandLineProgram.run()
  }
}
