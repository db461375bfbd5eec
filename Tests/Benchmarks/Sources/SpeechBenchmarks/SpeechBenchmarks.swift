import BenchmarkTools
import Glibc

/// Measures what recognizing speech costs and how soon results arrive, compared in the same run
/// with `pocketsphinx_batch` and `sherpa-onnx-offline` on the same clips with the same models.
///
/// ```sh
/// Tests/bench.sh SpeechBenchmarks --check
/// ```
///
/// Options:
/// - `--check`: exit with status 1 if a figure exceeds its bound.
/// - `--clips folder`: WAV or FLAC files at 16 kHz and mono, and `transcripts.tsv` (name, words,
///   and an optional category, separated by tabs). The default is `../shared/data/speech`, with
///   `../shared/data/speech-more` for a few figures, or else the project's samples.
/// - `--batch path`: pocketsphinx_batch, of Debian's package `pocketsphinx`, if it is not in
///   `PATH`.
/// - `--sherpa folder`: where `Tests/bench.sh` installed the packages of sherpa-onnx.
/// - `--rounds 3`: how often the programs run, one after another; the smallest time counts, and the
///   median ratio.
/// - `--times 3`: how often the clips are recognized in one run.
/// - `--minutes 20`: how much speech is recognized to check whether memory grows; an hour of speech
///   takes about ten minutes.
/// - `--files 2000`: how many clips the archive has, which take about an hour.
/// - `--results 100000`: how many silent files the other archive has.
/// - `--texts`: also print the texts of variants that lose words and of requests that differ.
/// - `--only text`: only the groups whose names contain the text.
@main
struct SpeechBenchmarks {
  static func main() async throws {
    let bench = try SpeechBench()
    let groups: [(name: String, measure: (SpeechBench) async throws -> [Finding])] = [
      ("capture path", CapturePath.measure),
      ("pocketsphinx costs", RecognitionCosts.measure),
      (
        "pocketsphinx answers",
        { try await RecognitionAnswers.measure(.pocketSphinx, on: $0.clips) }
      ),
      ("pocketsphinx memory", { try RecognitionMemory.measure(.pocketSphinx, on: $0) }),
      ("channel costs", ChannelCosts.measure),
      ("moonshine costs", MoonshineCosts.measure),
      ("moonshine variants", Variants.measure),
      ("moonshine noises", Noises.measure),
      ("moonshine sameness", Sameness.measure),
      ("moonshine archive", ArchiveCosts.measure),
      ("moonshine answers", { try await RecognitionAnswers.measure(.moonshine, on: $0.allClips) }),
      ("moonshine word times", WordTimeErrors.measure),
      ("moonshine memory", { try RecognitionMemory.measure(.moonshine, on: $0) }),
    ]
    var isMissed = false
    print(Finding.heading)
    for group in groups where group.name.contains(Options.value("--only") ?? group.name) {
      for finding in try await group.measure(bench) {
        print(finding.text)
        fflush(nil)
        isMissed = isMissed || finding.isMissed
      }
    }
    bench.remove()
    if isMissed, CommandLine.arguments.contains("--check") { exit(1) }
  }
}
