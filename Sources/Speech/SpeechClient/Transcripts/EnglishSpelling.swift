/// British and American spellings of lowercase English words.
enum EnglishSpelling {
  /// Returns the American spelling, in which texts are compared.
  ///
  /// This also replaces a few British words, such as "whilst" by "while".
  static func american(_ word: String) -> String {
    let new = americanSpelling(word)
    if let other = variants[new] { return other }
    return variantStems.first { new.hasPrefix($0.key) }
      .map { $0.value + new.dropFirst($0.key.count) } ?? new
  }

  /// Returns a word of a text in another spelling.
  ///
  /// Words that are ambiguous in the original spelling, such as "analyses", "check", "tire", and
  /// "program", do not change.
  static func word(_ word: String, in spelling: TextRules.Spelling) -> String {
    if let ending = ["'s", "\u{2019}s"].first(where: word.hasSuffix) {
      return self.word(String(word.dropLast(2)), in: spelling) + ending
    }
    guard spelling == .american else {
      let new = british(word)
      return americanSpelling(new) == americanSpelling(word) ? new : word
    }
    return nouns.contains(word) ? word : americanSpelling(word)
  }

  private static func americanSpelling(_ word: String) -> String {
    if let other = spellings[word] { return other }
    if let (stem, other) = longestStem(of: word, in: stems) {
      return other + word.dropFirst(stem.count)
    }
    return respelled(word, "is", to: "iz", unless: wordsWithS)
  }

  private static func british(_ word: String) -> String {
    if let other = britishSpellings[word] { return other }
    if let (stem, other) = longestStem(of: word, in: britishStems) {
      let rest = String(word.dropFirst(stem.count))
      // "Laboratory", "honorary", "humorous", and "Colorado" have no u.
      let isClosed = stem.hasSuffix("or") || stem == "mold"
      if !isClosed || endings.contains(rest) { return other + rest }
    }
    return respelled(word, "iz", to: "is", unless: wordsWithZ)
  }

  private static func longestStem(
    of word: String, in stems: [String: String]
  ) -> (stem: String, other: String)? {
    for length in stride(from: min(word.count, maximumStemLength), through: 4, by: -1) {
      let stem = String(word.prefix(length))
      if let other = stems[stem] { return (stem, other) }
    }
    return nil
  }

  /// Spells words such as organise and organisation with a z, or the other way around, except for
  /// the stems in `exceptions`.
  ///
  /// Short words such as rise and size are never verbs in -ize.
  private static func respelled(
    _ word: String, _ old: String, to new: String, unless exceptions: [String]
  ) -> String {
    for ending in ["e", "es", "ed", "er", "ers", "ing", "ation", "ations"]
    where word.hasSuffix(old + ending) && word.count - ending.count >= 6 {
      let stem = word.dropLast(ending.count + 2)
      return exceptions.contains { stem.hasSuffix($0) } ? word : stem + new + ending
    }
    return word
  }

  /// The endings of words such as color that British spelling writes with -our.
  private static let endings: Set<String> = [
    "", "s", "ed", "er", "ers", "ing", "ings", "ful", "fully", "less", "able", "ably", "ite",
    "ites", "itism", "y", "ies", "ier", "hood", "hoods", "al", "ally", "ly",
  ]

  /// British words that are also nouns with the same spelling in both, or common in both.
  private static let nouns: Set<String> = [
    "analyses", "catalyses", "paralyses", "practises", "dialogue", "dialogues",
  ]

  /// American words that also have meanings in which British spelling does not differ.
  private static let ambiguousWords: Set<String> = [
    "meter", "meters", "license", "licenses", "practice", "practices", "tire", "tires", "check",
    "checks", "dialog", "dialogs",
    "program", "programs", "curb",
  ]

  /// The parts before "ize" of words that are always spelled with a z.
  private static let wordsWithZ = [
    "caps", "downs", "overs", "outs", "supers", "unders", "mids", "fulls", "kings", "queens",
    "bites", "lifes", "rights", "pints", "pluss", "pockets", "twins", "doubles",
  ]

  private static let britishSpellings = Dictionary(
    spellings.filter { !ambiguousWords.contains($0.value) }.map { ($0.value, $0.key) },
    uniquingKeysWith: min)
  private static let britishStems = Dictionary(
    stems.map { ($0.value, $0.key) }, uniquingKeysWith: min)

  /// The parts before "ise" of words that are always spelled with an s.
  private static let wordsWithS = [
    "adv", "advert", "rev", "dev", "superv", "telev", "improv", "exerc", "exorc", "circumc", "conc",
    "prec", "pr", "desp", "prem", "prom", "surm", "chem", "chast", "disgu", "marqu", "franch",
    "merchand", "expert", "parad", "treat", "sunr", "moonr", "highr", "lowr",
    "metropol", "necropol", "pelv", "mant", "trell", "portcull", "epiderm", "w", "o", "a",
  ]

  private static let maximumStemLength = stems.keys.map(\.count).max() ?? 0

  /// American spellings by the beginnings of British words.
  private static let stems: [String: String] = [
    "armour": "armor", "behaviour": "behavior", "clamour": "clamor", "colour": "color",
    "endeavour": "endeavor", "favour": "favor", "flavour": "flavor", "harbour": "harbor",
    "honour": "honor", "humour": "humor", "labour": "labor", "neighbour": "neighbor",
    "odour": "odor", "parlour": "parlor", "rumour": "rumor", "saviour": "savior",
    "savour": "savor", "splendour": "splendor", "tumour": "tumor", "vapour": "vapor",
    "vigour": "vigor",
    "cancelle": "cancele", "cancelli": "canceli", "counsello": "counselo", "fuelle": "fuele",
    "jewelle": "jewele", "labelle": "labele", "labelli": "labeli", "levelle": "levele",
    "levelli": "leveli", "marvello": "marvelo", "modelle": "modele", "modelli": "modeli",
    "quarrelle": "quarrele", "signalle": "signale", "signalli": "signali",
    "travelle": "travele", "travelli": "traveli",
    "analyse": "analyze", "analysi": "analyzi", "analysis": "analysis", "paralyse": "paralyze",
    "catalyse": "catalyze", "anaemi": "anemi", "anaesth": "anesth",
    "oestrogen": "estrogen", "paediatric": "pediatric", "paralysi": "paralyzi",
    "paralysis": "paralysis",
    "manoeuvrab": "maneuverab", "sceptic": "skeptic", "aluminium": "aluminum",
    "moustache": "mustache", "plough": "plow", "mould": "mold", "acknowledgement": "acknowledgment",
    "pyjama": "pajama", "skilful": "skillful",
    "wilful": "willful", "instalment": "installment", "enrolment": "enrollment",
    "fulfilment": "fulfillment",
  ]

  /// American spellings by whole British words.
  private static let spellings: [String: String] = [
    "centre": "center", "centres": "centers", "centred": "centered",
    "centring": "centering", "manoeuvre": "maneuver", "manoeuvres": "maneuvers",
    "manoeuvred": "maneuvered", "manoeuvring": "maneuvering", "theatre": "theater",
    "theatres": "theaters", "metre": "meter", "metres": "meters", "kilometre": "kilometer",
    "kilometres": "kilometers", "centimetre": "centimeter", "centimetres": "centimeters",
    "millimetre": "millimeter", "millimetres": "millimeters", "litre": "liter", "litres": "liters",
    "fibre": "fiber", "fibres": "fibers", "calibre": "caliber", "sombre": "somber",
    "lustre": "luster", "meagre": "meager", "spectre": "specter",
    "catalogue": "catalog", "catalogues": "catalogs", "dialogue": "dialog", "dialogues": "dialogs",
    "analogue": "analog", "defence": "defense", "defences": "defenses", "offence": "offense",
    "offences": "offenses", "licence": "license", "licences": "licenses", "pretence": "pretense",
    "practise": "practice", "practises": "practices", "practised": "practiced",
    "practising": "practicing",
    "grey": "gray", "greys": "grays", "greyer": "grayer", "tyre": "tire", "tyres": "tires",
    "cheque": "check", "cheques": "checks", "programme": "program", "programmes": "programs",
    "kerb": "curb", "cosy": "cozy", "ageing": "aging", "fulfil": "fulfill", "enrol": "enroll",
    "jewellery": "jewelry",
  ]

  /// American words by British words that are other words, or common in both spellings; only texts
  /// that are compared unify them.
  private static let variants: [String: String] = [
    "learnt": "learned", "burnt": "burned", "spelt": "spelled", "dreamt": "dreamed",
    "spoilt": "spoiled", "whilst": "while", "amongst": "among", "towards": "toward",
    "afterwards": "afterward", "mum": "mom", "maths": "math",
  ]
  private static let variantStems = [
    "archaeolog": "archeolog", "encyclopaed": "encycloped", "judgement": "judgment",
    "aeroplane": "airplane",
  ]
}
