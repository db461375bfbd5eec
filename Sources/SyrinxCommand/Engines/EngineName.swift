import ArgumentParser

/// The engines that `--engine` takes, in the order of the help: whoever adds one, adds a case here
/// and its maker to the executable.
enum EngineName: String, CaseIterable, ExpressibleByArgument {
  case moonshine, pocketsphinx, vosk, wyoming

  /// What it needs, for the help.
  var needs: String {
    switch self {
    case .moonshine:
      """
      moonshine (dictation, with punctuation and case) needs what `syrinx engines install \
      moonshine` installs, or a model in the folder of --model or SYRINX_MOONSHINE_MODEL and ONNX \
      Runtime's library, which SYRINX_ONNXRUNTIME_LIBRARY names; it takes no key phrases.
      """
    case .pocketsphinx:
      """
      pocketsphinx (commands, keywords, clear speech; no download) needs Debian's package \
      pocketsphinx-en-us, or a model in the folder of --model or SYRINX_POCKETSPHINX_MODEL.
      """
    case .vosk:
      """
      vosk (dictation, many languages) needs libvosk.so, which `pip install vosk` brings or \
      SYRINX_VOSK_LIBRARY names, and a model of https://alphacephei.com/vosk/models, unpacked in \
      ~/.cache/vosk or /usr/share/vosk, or in the folder of --model or SYRINX_VOSK_MODEL.
      """
    case .wyoming:
      """
      wyoming (a server on this or another machine, or in a process of its own) needs the address of \
      a server of the Wyoming protocol, as Whisper has one for Home Assistant: --server \
      tcp://HOST:PORT, unix:///PATH or "stdio:COMMAND", without it tcp://127.0.0.1:10300. It takes \
      no grammar.
      """
    }
  }

  /// Whether `--model` names its model.
  var takesModel: Bool {
    switch self {
    case .moonshine, .pocketsphinx, .vosk: true
    case .wyoming: false
    }
  }

  /// What the help says about all of them.
  static let help = """
    Engines: \(allCases.map(\.needs).joined(separator: " ")) `syrinx engines` tells what is installed.
    """
}
