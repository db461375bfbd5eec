/// What design.md's table of targets says, for the checker.
struct ImportRules {
  /// The modules that each target may import, besides those for everybody.
  var allowed: [String: Set<String>]
  /// The only target that imports each C module.
  var owners: [String: String]
  /// The parts of Swift itself, for every target.
  var forEverybody: Set<String> = ["Swift", "Synchronization", "_Concurrency", "_StringProcessing"]
}

extension ImportRules {
  static let ofSyrinx = ImportRules(allowed: allowed, owners: owners)

  private static let owners = [
    "CALSA": "ALSASoundCard",
    "CFLAC": "SoundFile",
    "CLinux": "AudioThreads",
    "CMPG123": "SoundFile",
    "CPocketSphinx": "PocketSphinxEngine",
    "CSndFile": "SoundFile",
    "CSoxr": "Resampling",
    "CVorbis": "SoundFile",
  ]

  private static let foundation: Set = ["Foundation", "FoundationEssentials"]
  private static let interface = foundation.union([
    "AudioCore", "ClientDependencies", "FilePaths",
  ])
  private static let engine = interface.union([
    "AudioThreads", "Glibc", "Logging", "Resampling", "SoundFile",
  ])
  private static let clients: Set = ["AudioPlayerClient", "AudioRecorderClient", "SpeechClient"]
  private static let lives: Set = [
    "AudioPlayerClientLive", "AudioRecorderClientLive", "SpeechClientLive",
  ]

  private static let allowed: [String: Set<String>] = [
    // The vocabulary. Glibc (or Musl) gives AudioCore sine and logarithm, which Swift lacks.
    "AudioCore": ["Glibc", "Musl"],
    "AudioThreads": ["CLinux", "Glibc", "Logging"],
    "FilePaths": ["FoundationEssentials", "Glibc"],

    // Dependencies that a feature controls, or Point-Free's modules in their place.
    "ClientDependencies": foundation.union([
      "Dependencies", "Dispatch", "FoundationNetworking", "Glibc", "IssueReporting",
    ]),
    "ClientDependenciesMacros": ["ClientDependencies", "DependenciesMacros", "IssueReporting"],
    "ClientDependenciesMacrosPlugin": [
      "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
      "SwiftSyntaxMacros",
    ],
    "ClientDependenciesTestSupport": [
      "ClientDependencies", "DependenciesTestSupport", "IssueReportingTestSupport", "Testing",
      "XCTest",
    ],

    // The seams: no C, and nothing of what lies above or below them.
    "SoundCard": interface.union(["AudioThreads"]),
    "SpeechEngine": interface,

    // The owners of C libraries.
    "ALSASoundCard": interface.union([
      "AudioThreads", "CALSA", "Dispatch", "Glibc", "Logging", "SoundCard",
    ]),
    "SoundFile": interface.union([
      "AudioThreads", "CFLAC", "CMPG123", "CSndFile", "CVorbis", "Glibc", "Logging",
    ]),
    "Resampling": ["AudioCore", "CSoxr", "Glibc"],
    "PocketSphinxEngine": interface.union([
      "AudioThreads", "CPocketSphinx", "Glibc", "Logging", "SpeechEngine",
    ]),
    // Libraries that are loaded at run time, and engines that use them: no C module.
    "ONNXRuntime": [
      "AudioThreads", "FilePaths", "FoundationEssentials", "Glibc", "Logging", "SpeechEngine",
    ],
    "SileroDetector": [
      "AudioCore", "FilePaths", "FoundationEssentials", "ONNXRuntime", "SpeechEngine",
    ],
    "VoskEngine": interface.union(["Glibc", "Logging", "SpeechEngine"]),
    // It aligns words with PocketSphinx' acoustic model.
    "MoonshineEngine": interface.union([
      "AudioThreads", "Glibc", "Logging", "ONNXRuntime", "PocketSphinxEngine", "SpeechEngine",
    ]),

    // The Wyoming protocol: what the bytes mean, the engine that is a client, and the server, which
    // alone needs SwiftNIO.
    "Wyoming": foundation.union(["AudioCore"]),
    "WyomingEngine": interface.union([
      "AudioThreads", "Glibc", "SpeechEngine", "Wyoming",
    ]),
    "WyomingServer": interface.union([
      "AudioThreads", "Glibc", "NIOCore", "NIOPosix", "SpeechClient", "SpeechEngine", "Wyoming",
    ]),

    // The clients' interfaces and the engines behind them. A request for speech may name a
    // microphone, in the recorder's words, so that whoever replaces the recorder has replaced it.
    "AudioPlayerClient": interface,
    "AudioRecorderClient": interface,
    "SpeechClient": interface.union(["AudioRecorderClient"]),
    "AudioPlayerClientLive": engine.union(["AudioPlayerClient", "SoundCard"]),
    "AudioRecorderClientLive": engine.union(["AudioRecorderClient", "SoundCard"]),
    "SpeechClientLive": engine.union(["SpeechClient", "SpeechEngine"]),

    // What people try things with, and test with: never a Live module, never C.
    "VirtualSoundCard": interface.union(["AudioThreads", "SoundCard"]),
    "SyrinxTestSupport": interface.union(clients).union([
      "AudioThreads", "SoundCard", "SoundFile", "SpeechEngine",
      "VirtualSoundCard",
    ]),

    // The command's work, above the interfaces, and the executable, which chooses the live values.
    "SyrinxCommand": engine.union(clients).union([
      "ArgumentParser", "ONNXRuntime", "SoundCard", "SpeechEngine", "VirtualSoundCard", "Wyoming",
      "WyomingServer",
    ]),
    "syrinx": lives.union([
      "ALSASoundCard", "FilePaths", "MoonshineEngine", "ONNXRuntime", "PocketSphinxEngine",
      "SileroDetector", "SpeechEngine", "SyrinxCommand", "VoskEngine", "Wyoming", "WyomingEngine",
    ]),
  ]
}
